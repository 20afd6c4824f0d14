// node ipc-socket.mjs BATCH MESSAGES LOOK RUNS: what micro/ipc.mjs does with nothing around it: msgpackr on both ends of a
// socket, frames with a length before them, one batch written at a time.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// It is a dependency of the tests of @mqb/standard.
const { Packr } = createRequire(new URL("../../packages/standard/package.json", import.meta.url))("msgpackr");
const packr = new Packr({ useRecords: false });
const [size, total] = process.argv.slice(2, 4).map(Number);

if (process.send) {
  const socket = connect(process.argv[4]);
  const payload = Buffer.alloc(190, "x");
  socket.once("connect", () => process.send("ready"));
  process.once("message", async () => {
    for (let sent = 0; sent < total; sent += size) {
      const make = () => [randomUUID(), payload, { kind: "order" }];
      const body = packr.pack(Array.from({ length: Math.min(size, total - sent) }, make));
      const header = Buffer.alloc(4);
      header.writeUInt32BE(body.length);
      socket.cork();
      socket.write(header);
      await new Promise((resolve) => {
        socket.write(body, resolve);
        socket.uncork();
      });
    }
    socket.end();
    process.disconnect();
  });
} else {
  const [look, runs] = [process.argv[4], Number(process.argv[5])];
  const figures = [];
  for (let run = 0; run <= runs; run += 1) {
    const figure = await pass(look === "look");
    if (run > 0) figures.push(figure);
  }
  console.log(JSON.stringify(figures));
}

async function pass(look) {
  const folder = mkdtempSync(join(tmpdir(), "mqb-bench-"));
  const path = join(folder, "q.sock");
  let count = 0;
  let bytes = 0;
  const server = createServer((socket) => {
    let rest = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      while (rest.length - at >= 4) {
        const end = at + 4 + rest.readUInt32BE(at);
        if (end > rest.length) break;
        for (const [, payload, metadata] of packr.unpack(rest.subarray(at + 4, end))) {
          count += 1;
          if (look && metadata.kind === "order") bytes += payload.length;
        }
        at = end;
      }
      rest = rest.subarray(at);
    });
  });
  await new Promise((resolve) => server.listen(path, resolve));
  const sender = fork(fileURLToPath(import.meta.url), [String(size), String(total), path]);
  await new Promise((resolve) => sender.once("message", resolve));
  const closed = new Promise((resolve) => server.once("close", resolve));
  const began = process.hrtime.bigint();
  sender.send("go");
  server.close();
  await closed;
  const took = Number(process.hrtime.bigint() - began);
  rmSync(folder, { recursive: true, force: true });
  if (count !== total || (look && bytes !== total * 190)) throw new Error(`error: ${count} of ${total} messages`);
  return took / total;
}
