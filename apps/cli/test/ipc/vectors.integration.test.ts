import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "@mqb/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { buildCli, runCli, scratchFolder, startCli } from "../support/cli.ts";

const FOLDER = fileURLToPath(new URL("vectors", import.meta.url));
const ARGS = ["--config", "config.yaml", "--no-ui", "--no-metrics"];
const ENV = { MQ_BRIDGE_DRAIN_IDLE_TIMEOUT_MS: "400" };

const recorded = (vector: string, file: string): Buffer => readFileSync(join(FOLDER, vector, file));

/** The folder that the command runs in, with the configuration in it. */
function prepared(vector: string) {
  const scratch = scratchFolder();
  const config = recorded(vector, "config.yaml").toString().replaceAll("${W}", scratch.path);
  writeFileSync(join(scratch.path, "config.yaml"), config);
  return { ...scratch, socket: join(scratch.path, "q.sock"), [Symbol.dispose]: scratch.remove };
}

beforeAll(buildCli);

describe("messages between this program and mq-bridge", () => {
  it.each(["345-ipc-out-ipc", "346-ipc-out-unix"])(
    "%s: the bytes on the socket are those of the original",
    async (vector) => {
      using at = prepared(vector);
      writeFileSync(join(at.path, "input.jsonl"), recorded(vector, "input.jsonl"));
      const chunks: Buffer[] = [];
      const server = createServer((socket) => socket.on("data", (chunk: Buffer) => chunks.push(chunk)));
      server.listen(at.socket);
      await once(server, "listening");
      const { code, stderr } = await runCli(ARGS, { cwd: at.path, env: ENV });
      const closed = once(server, "close");
      server.close();
      await closed;
      expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
      expect(Buffer.concat(chunks).toString("hex")).toBe(recorded(vector, "expected.frames.bin").toString("hex"));
    },
  );

  it("347-ipc-in: frames of the original are read, in both forms", async () => {
    const vector = "347-ipc-in";
    using at = prepared(vector);
    const running = startCli(ARGS, { cwd: at.path });
    await eventually(() => existsSync(at.socket), "the socket", 30_000);
    const socket = connect(at.socket);
    socket.end(recorded(vector, "expected.input.frames.bin"));
    await once(socket, "finish");
    const expected = recorded(vector, "expected.out.jsonl").toString();
    const out = join(at.path, "out.jsonl");
    await eventually(() => existsSync(out) && readFileSync(out).length >= expected.length, "the output", 30_000);
    running.child.kill("SIGTERM");
    expect((await running.done).code).toBe(0);
    expect(readFileSync(out, "utf8")).toBe(expected);
    expect(existsSync(at.socket)).toBe(false);
  });
});
