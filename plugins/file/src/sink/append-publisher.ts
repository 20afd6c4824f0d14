import type { EndpointStatus, MessageBatch, OpenContext, Outcome, Publisher, Shared } from "@mqb/core/plugin";
import {
  type Compressor,
  CsvEncoder,
  createEncoder,
  type EncodedRows,
  openCompressor,
  type RecordEncoder,
  type Refused,
} from "@mqb/formats";
import { type FileConfig, type RecordSettings, recordSettings } from "../config.ts";
import { fileErrors } from "../errors.ts";
import { AppendFile, type FileState } from "./append-file.ts";
import { readHeader } from "./csv-header.ts";
import { compressed, outcomesOf } from "./encode.ts";
import { PeriodicSync } from "./periodic-sync.ts";

/** Opens a regular file to append to. */
export async function openAppendPublisher(config: FileConfig, path: string, context: OpenContext): Promise<Publisher> {
  const settings = recordSettings(config);
  const compressor = settings.compression ? await openCompressor(settings.compression) : undefined;
  const shared = await AppendFile.share(path, compressor ? undefined : settings.delimiter, context);
  const publisher = new AppendPublisher(config, path, settings, compressor, shared, context);
  try {
    await publisher.prepare();
    return publisher;
  } catch (error) {
    await publisher.close();
    throw error;
  }
}

/** Appends the records of each batch with one write call; with a codec, as members of their own. */
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
    if (this.rows) await this.file.learn((state) => this.learnColumns(state));
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

  private async learnColumns(state: FileState): Promise<void> {
    if (state.columns !== undefined || state.size === 0 || !this.settings.csv.header) return;
    state.columns = await readHeader(this.path, this.settings);
  }
}

export function warnMismatch(config: FileConfig, context: OpenContext, key: string | undefined): void {
  const what =
    key === undefined
      ? "lacks columns, which stay empty"
      : `has keys that are no columns, first "${key}", which are dropped`;
  context.log.warn(`${config.path}: a record ${what}; further ones are not reported`);
}
