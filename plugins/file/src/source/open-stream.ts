import type { Consumer, OpenContext } from "@mqb/core/plugin";
import { openUnpacker, SNIFF_BYTES } from "@mqb/formats";
import { deletes, type FileConfig, modeOf, recordSettings } from "../config.ts";
import { fileErrors } from "../errors.ts";
import { FileConsumer } from "./consumer.ts";
import { decoderOptions } from "./decoder-options.ts";
import { DecompressedInput } from "./decompressed-input.ts";
import type { ByteInput, Chunk } from "./input.ts";
import { refuseHead } from "./open-regular.ts";
import { epochOf, makeStamp } from "./stamp.ts";
import { StreamInput } from "./stream-input.ts";

/** What was read of a stream cannot be read again: it is kept between the connections of one run. */
interface StreamSession extends AsyncDisposable {
  readonly input: StreamInput;
  readonly consumer: FileConsumer;
}

/** Opens a pipe, a FIFO, a terminal or standard input. */
export async function openStream(config: FileConfig, path: string, context: OpenContext): Promise<Consumer> {
  if (modeOf(config) === "group_subscribe")
    throw fileErrors.NEEDS_REGULAR_FILE({ path: config.path, field: "mode: group_subscribe" });
  if (deletes(config)) throw fileErrors.NEEDS_REGULAR_FILE({ path: config.path, field: "delete: true" });
  const kept = context.session.get("stream") as StreamSession | undefined;
  if (kept) {
    await kept.input.resume();
    kept.consumer.resume();
    return kept.consumer;
  }
  const input = new StreamInput(path);
  await input.resume();
  const consumer = await makeConsumer(config, input, context);
  const dispose = async (): Promise<void> => input.dispose();
  context.session.set("stream", { input, consumer, [Symbol.asyncDispose]: dispose } satisfies StreamSession);
  return consumer;
}

async function makeConsumer(config: FileConfig, stream: StreamInput, context: OpenContext): Promise<FileConsumer> {
  const settings = recordSettings(config, context);
  const unpacker = await openUnpacker(settings.packing, config.path);
  const bytes = unpacker ? new DecompressedInput(stream, unpacker, 0) : new SniffedInput(stream, config.path);
  // Closing lets go of the stream only: what is half decoded goes on after a reconnect.
  const input: ByteInput = {
    next: () => bytes.next(),
    finish: async () => ("finish" in bytes ? bytes.finish() : "end"),
    close: () => stream.close(),
  };
  return new FileConsumer(
    {
      path: config.path,
      draining: context.draining,
      log: context.log,
      decoder: decoderOptions(config, settings, context),
      records: 0,
      stamp: makeStamp({
        path: config.path,
        positions: config.source_metadata === true || context.positions,
        epoch: epochOf(context),
        offsets: false,
      }),
      open: async () => undefined,
      waitForFile: async () => {},
      reopen: async () => input,
      acked: async () => {},
      closed: async () => {},
    },
    { input, regular: undefined, offset: 0, header: undefined },
  );
}

/** Looks at the first bytes of a stream that is declared as plain. */
class SniffedInput implements Pick<ByteInput, "next"> {
  private readonly inner: ByteInput;
  private readonly path: string;
  private seen = false;

  constructor(inner: ByteInput, path: string) {
    this.inner = inner;
    this.path = path;
  }

  async next(): Promise<Chunk | "end"> {
    const chunk = await this.inner.next();
    if (chunk !== "end" && !this.seen) {
      this.seen = true;
      const { bytes, start, end } = chunk;
      refuseHead(bytes.subarray(start, Math.min(end, start + SNIFF_BYTES)), Number.MAX_SAFE_INTEGER, this.path);
    }
    return chunk;
  }
}
