import { execFile, spawn } from "node:child_process";
import { createReadStream } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { lines, Workbench } from "./support.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FIXTURE = fileURLToPath(new URL("./fixtures/route.ts", import.meta.url));
const NODE = ["--conditions=@mqb/source", "--import", "tsx", FIXTURE];

const stdin = { file: { path: "/dev/stdin", format: "raw" } };
const stdout = { file: { path: "/dev/stdout", format: "raw" } };

function start(route: unknown) {
  const child = spawn(process.execPath, [...NODE, JSON.stringify(route)], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {});
  const said = text(child.stderr).then((line) => JSON.parse(line) as Record<string, unknown>);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, said, ended };
}

describe("standard input and output", () => {
  it("carry more than pipes hold, unchanged, and the end of the input ends the route", async () => {
    await using bench = await Workbench.make();
    const all = lines(0, 400_000);
    const path = await bench.dir.write("in.txt", all);
    const { child, said, ended } = start({ input: stdin, output: stdout });
    createReadStream(path).pipe(child.stdin);
    expect(await text(child.stdout)).toBe(all);
    expect(await said).toMatchObject({ outcome: "completed", delivered: 400_000, code: "MQB_FILE_STREAM_ENDED" });
    expect(await ended).toBe(0);
  });

  it("deliver a last record without a line break", async () => {
    const { child, said } = start({ input: stdin, output: stdout });
    child.stdin.end("a\nlast");
    expect(await text(child.stdout)).toBe("a\nlast\n");
    expect(await said).toMatchObject({ outcome: "completed", delivered: 2 });
  });

  it("end cleanly when the reader of the output has seen enough", async () => {
    await using bench = await Workbench.make();
    const path = await bench.dir.write("in.txt", lines(0, 400_000));
    const input = { file: { path, format: "raw" } };
    const { child, said, ended } = start({ exit_on_empty: true, input, output: stdout });
    child.stdout.once("data", () => child.stdout.destroy());
    expect(await said).toMatchObject({ outcome: "completed", code: "MQB_FILE_PIPE_CLOSED" });
    expect(await ended).toBe(0);
  });

  it("may be files: input goes on where the shell has stopped, output is written from where it stands", async () => {
    await using bench = await Workbench.make();
    await bench.dir.write("in.txt", lines(0, 3));
    const route = JSON.stringify({ input: stdin, output: stdout });
    const command = `cd "${ROOT}" && { read line; "${process.execPath}" ${NODE.map((one) => `"${one}"`).join(" ")} '${route}' 2>/dev/null; } < "$0/in.txt" > "$0/out.txt"`;
    await promisify(execFile)("sh", ["-c", command, bench.dir.path]);
    expect(await bench.dir.read("out.txt")).toBe(lines(1, 3));
  });
});
