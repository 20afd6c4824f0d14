import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Capture } from "./capture.ts";
import { freshLab, type Lab } from "./slots.ts";

let lab: Lab;
beforeEach(async () => {
  lab = await freshLab();
  await lab.sql("CREATE TABLE t (id int PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t");
});
afterEach(() => lab.drop());

/** Between us and the server: holds back what the server says while it is told to. */
async function held(url: string): Promise<{ readonly url: string; hold(is: boolean): void; close(): void }> {
  const { hostname, port } = new URL(url);
  const answers = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const one of [near, far]) one.on("error", () => {});
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => {
      answers.delete(far);
      near.destroy();
    });
    answers.add(far);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(url);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: own.href,
    hold: (is) => {
      for (const far of answers)
        if (is) far.pause();
        else far.resume();
    },
    close: () => {
      for (const far of answers) far.destroy();
      server.close();
    },
  };
}

const passed = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

it("a server that says nothing is given time, however short the interval is, and is given up when it stays silent", async () => {
  const way = await held(lab.url);
  const capture = await Capture.open({ url: way.url, publication: "p", slot_name: lab.slot, status_interval_ms: 1 });
  way.hold(true);
  await passed(300);
  way.hold(false);
  await lab.sql("INSERT INTO t VALUES (1)");
  expect(capture.consumer.status!()).toMatchObject({ healthy: true });
  way.hold(true);
  await expect(
    (async () => {
      for (;;) await (await capture.receive()).commit();
    })(),
  ).rejects.toMatchObject({ code: "MQB_POSTGRES_SILENT", kind: "connection" });
  await capture.close();
  way.close();
});

it("a temporary slot that a silent server may not have dropped is named at the end", async () => {
  const way = await held(lab.url);
  const capture = await Capture.open({ url: way.url, publication: "p", slot_name: lab.slot, temporary_slot: true });
  way.hold(true);
  await capture.close();
  expect(capture.log.text()).toContain(`SELECT pg_drop_replication_slot('${lab.slot}')`);
  way.close();
});
