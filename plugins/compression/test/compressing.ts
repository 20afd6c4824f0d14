import type { Consumer, Message, Publisher } from "@mqb/core/plugin";
import { type CodecName, openPayloadCodec } from "@mqb/formats";
import { CollectingPublisher, fakeContext, ScriptedConsumer } from "@mqb/testkit";
import type { CompressionConfig } from "../src/index.ts";
import plugin from "../src/index.ts";

export const CODECS: readonly CodecName[] = ["gzip", "lz4", "zstd"];
export const NEVER = new AbortController().signal;
const compression = plugin.middlewares!["compression"]!;

/** The middleware around a scripted source, with what `wrap` puts between them. */
export async function decompressedSource(
  config: CompressionConfig = {},
  wrap: (source: ScriptedConsumer) => Consumer = (source) => source,
) {
  const source = new ScriptedConsumer();
  const context = fakeContext();
  const consumer: Consumer = await compression.input!(wrap(source), config, context);
  return { source, context, consumer };
}

/** The middleware around a collecting sink. */
export async function compressedSink(config: CompressionConfig = {}) {
  const sink = new CollectingPublisher();
  const publisher: Publisher = await compression.output!(sink, config, fakeContext({ side: "output" }));
  return { sink, publisher };
}

/** The same messages as a sender with the codec sends them. */
export async function compressedMessages(codec: CodecName, messages: readonly Message[]): Promise<Message[]> {
  const payloadCodec = await openPayloadCodec(codec);
  const made: Message[] = [];
  for (const message of messages) {
    const { length } = message.payload;
    const { bytes } = await payloadCodec.compress({
      bytes: Buffer.from(message.payload),
      starts: Uint32Array.of(0),
      ends: Uint32Array.of(length),
      count: 1,
    });
    made.push(message.with({ payload: bytes }));
  }
  return made;
}
