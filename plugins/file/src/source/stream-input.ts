import { constants, createReadStream } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { isatty, ReadStream } from "node:tty";
import { fileErrors, reasonOf } from "../errors.ts";
import { close, fstat, open } from "../fs-calls.ts";
import type { ByteInput, Chunk } from "./input.ts";

/** Names of the process's standard input. */
const STDIN = new Set(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

export function isStdin(path: string): boolean {
  return STDIN.has(path);
}

/**
 * A pipe, a FIFO, a terminal, another character device or standard input: read once, never sought in. `close` lets it rest,
 * so that whoever writes waits as before a full pipe, and the route can take it up again with `resume` after a reconnect; a
 * `next` that waits goes on waiting then, and nothing that was read is lost. `dispose` lets go of it for good.
 */
export class StreamInput implements ByteInput {
  private readonly path: string;
  private stream: Readable | undefined;
  private resting: Readable | undefined;
  private failure: Error | undefined;
  private ended = false;
  private wake: (() => void) | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Opens the stream, or takes it up again. Does not wait for a FIFO's writer: reading does. */
  async resume(): Promise<void> {
    if (this.stream || this.ended) return;
    const stream = this.resting ?? (isStdin(this.path) ? process.stdin : await openStream(this.path));
    this.stream = stream;
    this.resting = undefined;
    this.failure = stream.errored ?? undefined;
    if (stream.readableEnded || stream.destroyed) this.ended = true;
    stream.on("readable", this.signal);
    stream.on("end", this.onEnd);
    stream.on("close", this.onEnd);
    stream.on("error", this.onError);
    stream.off("error", ignore);
    (stream as Partial<Socket>).ref?.();
    this.signal();
  }

  async next(): Promise<Chunk | "end"> {
    for (;;) {
      const bytes = this.stream?.read() as Buffer | null | undefined;
      if (bytes) return { bytes, start: 0, end: bytes.length };
      if (this.failure)
        throw fileErrors.READ_FAILED({ path: this.path, reason: reasonOf(this.failure) }, { cause: this.failure });
      if (this.ended) return "end";
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async close(): Promise<void> {
    const stream = this.stream;
    if (!stream) return;
    this.stream = undefined;
    stream.off("readable", this.signal);
    stream.off("end", this.onEnd);
    stream.off("close", this.onEnd);
    stream.off("error", this.onError);
    stream.on("error", ignore);
    stream.pause();
    (stream as Partial<Socket>).unref?.();
    this.resting = stream;
  }

  /** After `close`, at the end of the route. Standard input stays the process's. */
  dispose(): void {
    const stream = this.resting;
    this.resting = undefined;
    if (stream && stream !== process.stdin) stream.destroy();
  }

  private readonly signal = (): void => {
    const wake = this.wake;
    this.wake = undefined;
    wake?.();
  };

  private readonly onEnd = (): void => {
    this.ended = true;
    this.signal();
  };

  private readonly onError = (error: Error): void => {
    this.failure = error;
    this.signal();
  };
}

async function openStream(path: string): Promise<Readable> {
  let fd: number | undefined;
  try {
    fd = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await fstat(fd)).isFIFO()) return new Socket({ fd, readable: true, writable: false });
    return isatty(fd) ? new ReadStream(fd) : createReadStream(path, { fd });
  } catch (cause) {
    if (fd !== undefined) await close(fd);
    throw fileErrors.NOT_READABLE({ path, reason: reasonOf(cause) }, { cause });
  }
}

/** Without a listener an error of a stream that rests would end the process. */
function ignore(): void {}
