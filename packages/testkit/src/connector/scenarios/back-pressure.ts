import { ok } from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isPending } from "../../wait/eventually.ts";
import { holds, input, narrow, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

const KIBIBYTE = 1024;
const PAYLOAD = 64 * KIBIBYTE;
const COUNT = 256;
const BOUND = (COUNT * PAYLOAD) / 2;
const SAMPLES_ALIKE = 4;
const SAMPLE_EVERY_MS = 15;

export const backPressure: readonly ConnectorScenario[] = [
  {
    name: "a source that nobody reads from on holds back: memory does not grow with what is waiting",
    leftOut: unless(input, stored, holds("large"), (s) =>
      s.fixture.message ? "the fixture makes its own payloads" : undefined,
    ),
    async run(lab) {
      const filler = ".".repeat(PAYLOAD);
      for (let from = 0; from < COUNT; from += 64) {
        await lab.seed(
          lab.messages(64, from).map((message) => message.with({ payload: Buffer.from(message.text() + filler) })),
        );
      }
      const before = await settledMemory();
      const { batch } = await lab.soon(
        (await lab.consumer()).receive(1, new AbortController().signal),
        "the first message",
      );
      ok(batch.length <= 1);
      const grown = (await settledMemory()) - before;
      ok(grown < BOUND, `one message was asked for, and memory has grown by ${Math.round(grown / KIBIBYTE)} KiB`);
    },
  },
  {
    name: "a send into a full sink waits until somebody reads",
    leftOut: unless(narrow),
    async run(lab) {
      const { capacity, fresh } = lab.tested.fixture.narrow!;
      await using inside = lab.in(await fresh());
      const publisher = await inside.publisher();
      await inside.send(publisher, inside.messages(capacity));
      const waiting = inside.send(publisher, inside.messages(1, capacity));
      waiting.catch(() => {});
      ok(await isPending(waiting, 200), `${capacity} messages are there already, and another one was accepted`);
      const reader = inside.reader();
      await reader.commit(await reader.take(1));
      await inside.soon(waiting, "the send, now that there is room");
      await reader.commit(await reader.take(1));
    },
  },
];

/** Bytes held in buffers after garbage collection, once they do not change any more. */
async function settledMemory(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let last = -1;
  for (let alike = 0; alike < SAMPLES_ALIKE; ) {
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS));
    collect();
    const { arrayBuffers } = process.memoryUsage();
    alike = Math.abs(arrayBuffers - last) < PAYLOAD ? alike + 1 : 0;
    last = arrayBuffers;
  }
  return last;
}
