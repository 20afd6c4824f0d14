import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { runProcess, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { Talker } from "./support.ts";

const PROGRAM = fileURLToPath(new URL("serving-routes.ts", import.meta.url));
const WORKSPACE = fileURLToPath(new URL("../../..", import.meta.url));
/** How long the stop may take, with what the peers do that do not answer it. */
const STOP_MS = 10_000;

async function held(port: number, ...written: readonly string[]): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  for (const text of written) socket.write(text);
  return socket.resume();
}

it("a process with clients that hold their connections open ends soon after a SIGTERM: requests are answered, WebSockets get 1001", {
  timeout: 120_000,
}, async () => {
  const args = ["--conditions=@mqb/source", "--import", "tsx", PROGRAM];
  await using child = runProcess({ args, cwd: WORKSPACE });
  const [, wsPort, httpPort] = /serving .*:(\d+) .*:(\d+)$/.exec(await child.line(/^serving /))!;
  const url = `ws://127.0.0.1:${wsPort}`;
  const client = await Talker.connect(url);
  const idle = await Talker.connect(url);
  // It has its upgrade, and reads and answers nothing any more.
  const deaf = await Talker.connect(url);
  deaf.socket.pause();
  const sockets = [
    await held(Number(wsPort)),
    await held(Number(wsPort), "GET / HT"),
    await held(Number(httpPort)),
    await held(Number(httpPort), "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nslow"),
  ];
  const agent = await fetch(`http://127.0.0.1:${httpPort}/`, { method: "POST", body: "kept alive" });
  expect(await agent.text()).toBe("kept alive");

  client.socket.send("a question");
  const asking = fetch(`http://127.0.0.1:${httpPort}/`, { method: "POST", body: "another" });
  await Promise.all([child.line(/^received a question$/), child.line(/^received another$/)]);
  const asked = performance.now();
  process.kill(child.pid!, "SIGTERM");
  const { code, signal } = await within(child.ended, "the end of the process", 30_000);
  expect([code, signal, child.stderr]).toEqual([0, null, ""]);
  expect(performance.now() - asked).toBeLessThan(STOP_MS);

  expect(await (await asking).text()).toBe("another");
  expect(await client.texts(1)).toEqual(["a question"]);
  expect([await client.closed, await idle.closed]).toMatchObject([{ code: 1001 }, { code: 1001 }]);
  for (const socket of sockets) socket.destroy();
  deaf.socket.terminate();
});
