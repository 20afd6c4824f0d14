import { batchOf, type Delivery, describeError, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { CODECS, compressedMessages, decompressedSource, NEVER } from "./compressing.ts";

const MIB = 1024 * 1024;
const PATIENCE_MS = 60_000;

it.each(["gzip", "zstd"] as const)(
  "a bomb in %s is refused without a limit being set, and the messages beside it are not",
  async (algorithm) => {
    const [bomb, good] = await compressedMessages(algorithm, [
      new Message(Buffer.alloc(17 * MIB)),
      new Message("good"),
    ]);
    expect(bomb!.payload.length).toBeLessThan(18_000);
    const { source, context, consumer } = await decompressedSource({ algorithm, on_error: "drop" });
    source.push([bomb!, good!, bomb!]);
    const { batch } = await consumer.receive(10, NEVER);
    expect(Array.from(batch, (message) => message.text())).toEqual(["good"]);
    expect(context.log.at("warn")).toEqual([
      expect.stringMatching(/^2 message\(s\) were dropped.*1000 times their size/),
    ]);
  },
  PATIENCE_MS,
);

describe.each(CODECS)("a bomb of many members in %s", (algorithm) => {
  it(
    "is refused at 100 MiB, also where any ratio is allowed",
    async () => {
      const [part] = await compressedMessages(algorithm, [new Message(Buffer.alloc(MIB))]);
      const bomb = new Message(Buffer.concat(new Array<Uint8Array>(101).fill(part!.payload)));
      const { source, consumer } = await decompressedSource({ algorithm, max_ratio: 1_000_000 });
      source.push([bomb]);
      const error = await consumer.receive(10, NEVER).catch((thrown: unknown) => thrown);
      expect(describeError(error)).toContain(`more than ${100 * MIB} bytes`);
    },
    PATIENCE_MS,
  );
});

it(
  "a batch that unfolds far comes in portions, of which each is bounded",
  async () => {
    const [large] = await compressedMessages("zstd", [new Message(Buffer.alloc(6 * MIB))]);
    const { source, consumer } = await decompressedSource({ algorithm: "zstd" });
    source.push(batchOf(new Array<Message>(14).fill(large!)));
    const deliveries: Delivery[] = [];
    for (let left = 14; left > 0; left -= deliveries.at(-1)!.batch.length)
      deliveries.push(await consumer.receive(100, NEVER));
    expect(deliveries.map(({ batch }) => batch.byteLength / MIB)).toEqual([36, 36, 12]);
    for (const delivery of deliveries.toReversed()) {
      expect(source.commits).toHaveLength(0);
      await delivery.commit();
    }
    expect(source.commits[0]!.dispositions).toBeUndefined();
  },
  PATIENCE_MS,
);
