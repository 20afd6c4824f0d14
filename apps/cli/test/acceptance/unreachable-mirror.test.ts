import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { told } from "../secrets/told.ts";
import { scratchFolder } from "../support/cli.ts";

const STUBS = fileURLToPath(new URL("../secrets/failing-stubs.ts", import.meta.url));
const scratch = scratchFolder();
afterAll(() => scratch.remove());

it("a mirror that cannot be reached does not keep a copy from its end", async () => {
  const cwd = scratch.path;
  writeFileSync(join(cwd, "in"), "1\n2\n");
  const target = "fanout:?to=file:a%3Fformat=raw&mirror=amqp://h%3Fqueue=q";
  const { code, stdout } = await told(["copy", "file:in?format=raw", target, "--drain", "--plugin", STUBS], { cwd });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^copied 2 rows/)]);
  expect(readFileSync(join(cwd, "a"), "utf8")).toBe("1\n2\n");
});
