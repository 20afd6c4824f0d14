import type { EndpointStatus, MessageBatch, OpenContext, Outcome, Publisher, Shared } from "@mqb/core/plugin";
import {
  type Compressor,
  CsvEncoder,
  createEncoder,
  describeDelimiter,
  type EncodedRows,
  looksSealed,
  openPacker,
  type RecordEncoder,
  type Refused,
  SNIFF_BYTES,
  sniffCodec,
} from "@mqb/formats";
import { type FileConfig, type RecordSettings, recordSettings } from "../config.ts";
import { fileErrors } from "../errors.ts";
import { close, fstat, open, readAt } from "../fs-calls.ts";
import { AppendFile, type FileState } from "./append-file.ts";
import { readHeader } from "./csv-header.ts";
import { endsCut } from "./cut-member.ts";
import { compressed, outcomesOf, warnMismatch } from "./encode.ts";
import { PeriodicSync } from "./periodic-sync.ts";

/** Opens a regular file to append to. */
export async function openAppendPublisher(config: FileConfig, path: string, context: OpenContext): Promise<Publisher> {
  const settings = recordSettings(config, context);
  const compressor = await openPacker(settings.packing);
  const { format, delimiter, csv } = settings;
  const { compression, encryption = null } = config;
  const manner = [format, delimiter.toString("hex"), compression, encryption, format === "csv" ? csv : null];
  const writing = { terminator: compressor ? undefined : delimiter, manner: JSON.stringify(manner) };
  const shared = await AppendFile.share(path, writing, context);
  const publisher = new AppendPublisher(config, path, settings, compressor, shared, context);
  try {
    await publisher.prepare();
    return publisher;
  } catch (error) {
    await publisher.close();
    throw error;
  }
}

/** Appends the records of each batch with one write call; with a codec as members of their own, encrypted as one frame. */
class AppendPublisher implements Publisher {
  private readonly config: FileConfig;
  private readonly path: string;
  private readonly settings: RecordSettings;
  private readonly compressor: Compressor | undefined;
  private readonly shared: Shared<AppendFile>;
  private readonly file: AppendFile;
  private readonly encoder: RecordEncoder | undefined;
  private readonly rows: CsvEncoder | undefined;
  private readonly periodic: PeriodicSync | undefined;
  private readonly log: OpenContext["log"];
  private closed = false;
  private failure: string | undefined;

  constructor(
    config: FileConfig,
    path: string,
    settings: RecordSettings,
    compressor: Compressor | undefined,
    shared: Shared<AppendFile>,
    context: OpenContext,
  ) {
    this.config = config;
    this.path = path;
    this.settings = settings;
    this.compressor = compressor;
    this.shared = shared;
    this.file = shared.value;
    this.log = context.log;
    const { format, delimiter, csv } = settings;
    if (format === "csv") {
      this.rows = new CsvEncoder({ csv, delimiter, onMismatch: (key) => warnMismatch(config, context, key) });
    } else this.encoder = createEncoder(format, delimiter);
    if (config.fsync === "periodic") {
      this.periodic = new PeriodicSync(context.clock, config.fsync_interval_ms ?? 1000, () => this.file.sync());
    }
  }

  /** Finds out at start what could make every batch fail. */
  async prepare(): Promise<void> {
    await refuseOtherCodec(this.config, this.path, this.settings);
    if (this.rows) await this.file.learn((state) => this.learnColumns(state));
    await this.file.learn((state) => this.lookAtEnd(state));
    if (this.config.fsync === "batch" || this.config.fsync === "periodic") await this.file.syncName();
  }

  async send(batch: MessageBatch): Promise<readonly Outcome[] | undefined> {
    if (this.closed) throw fileErrors.CLOSED({ path: this.config.path });
    try {
      const refused = this.rows ? await this.sendRows(batch, this.rows) : await this.sendRecords(batch, this.encoder!);
      if (this.config.fsync === "batch") await this.file.sync();
      this.periodic?.written();
      this.failure = undefined;
      return outcomesOf(batch, refused);
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  async flush(): Promise<void> {
    await this.periodic?.flush();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    try {
      await this.periodic?.flush();
    } finally {
      await this.shared.release();
    }
  }

  status(): EndpointStatus {
    return {
      healthy: this.failure === undefined,
      target: this.config.path,
      ...(this.failure === undefined ? {} : { error: this.failure }),
    };
  }

  private async sendRecords(batch: MessageBatch, encoder: RecordEncoder): Promise<readonly Refused[]> {
    const { chunks, refused } = encoder.encode(batch);
    try {
      const bytes = this.compressor ? await compressed(chunks, this.compressor) : chunks;
      await this.file.append(() => bytes);
      return refused;
    } finally {
      encoder.release(chunks);
    }
  }

  /** Rows depend on what the file holds: header and columns are settled while nobody else writes. */
  private async sendRows(batch: MessageBatch, rows: CsvEncoder): Promise<readonly Refused[]> {
    let encoded: EncodedRows | undefined;
    try {
      await this.file.append(async (state) => {
        await this.learnColumns(state);
        encoded = rows.encode(batch, { columns: state.columns, empty: state.size === 0 });
        state.columns = encoded.columns ?? state.columns;
        return compressed(encoded.chunks, this.compressor);
      });
      return encoded?.refused ?? [];
    } finally {
      if (encoded) rows.release(encoded.chunks);
    }
  }

  /** A missing last line break is never mended, as in the original; the record that suffers is not to do so in silence. */
  private async lookAtEnd(state: FileState): Promise<void> {
    const { delimiter } = this.settings;
    if (state.size === 0) return;
    const fd = await open(this.path, "r").catch(() => undefined);
    // Not every file that takes records can be read.
    if (fd === undefined) return;
    try {
      if (this.compressor) {
        await this.lookForCut(fd, state.size);
        return;
      }
      const from = Math.max(0, state.size - delimiter.length);
      if ((await readAt(fd, from, delimiter.length)).equals(delimiter)) return;
    } finally {
      await close(fd);
    }
    this.log.warn(
      `${this.config.path} does not end with the delimiter: the first record becomes part of its last one; append ${describeDelimiter(delimiter)} to the file before the route starts`,
    );
  }

  /** What others have cut short is not mended either, but readers get no further than there. */
  private async lookForCut(fd: number, size: number): Promise<void> {
    const { packing } = this.settings;
    if (!(await endsCut(fd, size, packing))) return;
    const what = packing.cipher ? "an encrypted frame" : `${packing.compression} data`;
    this.log.warn(
      `${this.config.path} was cut off within ${what}: what is appended cannot be read behind it; write to another file, or cut this one back to its last whole batch`,
    );
  }

  private async learnColumns(state: FileState): Promise<void> {
    if (state.columns !== undefined || state.size === 0 || !this.settings.csv.header) return;
    state.columns = await readHeader(this.path, this.settings);
  }
}

/** What would be appended to a file that begins otherwise could not be read with it. */
async function refuseOtherCodec(config: FileConfig, path: string, settings: RecordSettings): Promise<void> {
  const fd = await open(path, "r").catch(() => undefined);
  if (fd === undefined) return;
  let head: Buffer;
  let size: number;
  try {
    head = await readAt(fd, 0, SNIFF_BYTES);
    size = Number((await fstat(fd)).size);
  } finally {
    await close(fd);
  }
  if (head.length === 0) return;
  const { format, packing } = settings;
  const { compression, cipher } = packing;
  const isSealed = looksSealed(head, size);
  if (cipher || isSealed) {
    if (cipher && isSealed) return;
    const [found, wanted] = isSealed ? ["", "not "] : ["not ", ""];
    throw fileErrors.OTHER_CODEC({
      path: config.path,
      found: `data that is ${found}encrypted`,
      wanted: `data that is ${wanted}encrypted`,
    });
  }
  const found = sniffCodec(head);
  if (found === compression) return;
  // A raw payload may begin like anything, and compressed members may have padding or a skippable frame before them.
  if (compression ? found === undefined && isFiller(head) : format === "raw") return;
  throw fileErrors.OTHER_CODEC({
    path: config.path,
    found: found ? `${found} data` : "data that is not compressed",
    wanted: compression ? `${compression} data` : `${format} records`,
  });
}

function isFiller(head: Buffer): boolean {
  const skippable = head.length >= 4 && (head.readUInt32LE(0) & 0xfffffff0) >>> 0 === 0x184d2a50;
  return skippable || head.every((byte) => byte === 0);
}
