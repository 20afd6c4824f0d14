import { constants } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import {
  type EndpointStatus,
  type MessageBatch,
  type OpenContext,
  type Outcome,
  type Publisher,
  sleep,
} from "@mqb/core/plugin";
import { type Compressor, CsvEncoder, createEncoder, openPacker, type RecordEncoder } from "@mqb/formats";
import { type FileConfig, type RecordSettings, recordSettings } from "../config.ts";
import { codeOfSystem, fileErrors, reasonOf } from "../errors.ts";
import { close, open, statIfThere, writeAll } from "../fs-calls.ts";
import { compressed, outcomesOf, warnMismatch } from "./encode.ts";

const STDOUT = new Set(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]);
const WAIT_FOR_READER_MS = 100;

export function isStdout(path: string): boolean {
  return STDOUT.has(path);
}

/** Opens standard output, a FIFO or a device. */
export async function openStreamPublisher(config: FileConfig, path: string, context: OpenContext): Promise<Publisher> {
  if (config.fsync === "batch" || config.fsync === "periodic")
    throw fileErrors.NEEDS_REGULAR_FILE({ path: config.path, field: `fsync: ${config.fsync}` });
  const settings = recordSettings(config, context);
  const compressor = await openPacker(settings.packing);
  const target = isStdout(path) ? stdoutTarget(config.path) : await openTarget(config, path, context);
  return new StreamPublisher(config, settings, target, compressor, context);
}

/** Takes bytes one after another and is done with them when it says so. */
interface Target {
  write(chunks: readonly Buffer[]): Promise<void>;
  close(): Promise<void>;
}

class StreamPublisher implements Publisher {
  private readonly config: FileConfig;
  private readonly target: Target;
  private readonly compressor: Compressor | undefined;
  private readonly encoder: RecordEncoder | undefined;
  private readonly rows: CsvEncoder | undefined;
  private columns: readonly string[] | undefined;
  private closed = false;

  constructor(
    config: FileConfig,
    settings: RecordSettings,
    target: Target,
    compressor: Compressor | undefined,
    context: OpenContext,
  ) {
    this.config = config;
    this.target = target;
    this.compressor = compressor;
    const { format, delimiter, csv } = settings;
    if (format === "csv") {
      this.rows = new CsvEncoder({ csv, delimiter, onMismatch: (key) => warnMismatch(config, context, key) });
    } else this.encoder = createEncoder(format, delimiter);
  }

  async send(batch: MessageBatch): Promise<readonly Outcome[] | undefined> {
    if (this.closed) throw fileErrors.CLOSED({ path: this.config.path });
    let encoded: ReturnType<RecordEncoder["encode"]>;
    if (this.rows) {
      const rows = this.rows.encode(batch, { columns: this.columns, empty: this.columns === undefined });
      this.columns = rows.columns ?? this.columns;
      encoded = rows;
    } else encoded = this.encoder!.encode(batch);
    try {
      const chunks = await compressed(encoded.chunks, this.compressor);
      if (chunks.length > 0) await this.target.write(chunks);
      return outcomesOf(batch, encoded.refused);
    } finally {
      (this.rows ?? this.encoder!).release(encoded.chunks);
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.target.close();
  }

  status(): EndpointStatus {
    return { healthy: !this.closed, target: this.config.path };
  }
}

function stdoutTarget(path: string): Target {
  const { stdout } = process;
  // An error without a listener would end the process; each write has the error in its callback as well.
  if (!stdout.listeners("error").includes(ignore)) stdout.on("error", ignore);
  return { write: (chunks) => writeToStream(stdout, chunks, path), close: async () => {} };
}

async function openTarget(config: FileConfig, path: string, context: OpenContext): Promise<Target> {
  const stats = await statIfThere(path);
  if (stats?.isFIFO()) {
    const stream = new Socket({ fd: await openFifo(config, path, context), readable: false, writable: true });
    stream.on("error", ignore);
    return {
      write: (chunks) => writeToStream(stream, chunks, config.path),
      close: () =>
        new Promise((resolve) => {
          stream.once("close", () => resolve());
          stream.destroySoon();
        }),
    };
  }
  try {
    const fd = await open(path, constants.O_WRONLY | constants.O_APPEND);
    return { write: (chunks) => writeToDevice(fd, chunks, config.path), close: () => close(fd) };
  } catch (cause) {
    throw fileErrors.NOT_WRITABLE({ path: config.path, reason: reasonOf(cause) }, { cause });
  }
}

/** Waits for a reader without holding a thread: opening a FIFO blocks otherwise. */
async function openFifo(config: FileConfig, path: string, context: OpenContext): Promise<number> {
  for (;;) {
    try {
      return await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (cause) {
      if (codeOfSystem(cause) !== "ENXIO")
        throw fileErrors.NOT_WRITABLE({ path: config.path, reason: reasonOf(cause) }, { cause });
      if (!(await sleep(context.clock, WAIT_FOR_READER_MS, context.signal)))
        throw fileErrors.NO_READER({ path: config.path });
    }
  }
}

function writeToStream(stream: Writable, chunks: readonly Buffer[], path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    stream.write(bytes, (cause) => {
      if (!cause) resolve();
      else reject(writeError(cause, path));
    });
  });
}

async function writeToDevice(fd: number, chunks: readonly Buffer[], path: string): Promise<void> {
  try {
    for (const chunk of chunks) await writeAll(fd, chunk);
  } catch (cause) {
    throw writeError(cause, path);
  }
}

function writeError(cause: unknown, path: string): Error {
  const code = codeOfSystem(cause);
  if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ECONNRESET")
    return fileErrors.PIPE_CLOSED({ path }, { cause });
  return fileErrors.WRITE_FAILED({ path, reason: reasonOf(cause), partial: false }, { cause });
}

function ignore(): void {}
