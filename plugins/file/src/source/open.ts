import { realpath } from "node:fs/promises";
import { type Consumer, type OpenContext, type Shared, sleep } from "@mqb/core/plugin";
import { CHUNK_HEADROOM, type CsvStreamHeader, headerEnd, openUnpacker } from "@mqb/formats";
import {
  deletes,
  type FileConfig,
  HEADER_MAX,
  modeOf,
  pathOf,
  type RecordSettings,
  recordSettings,
  type SourceMode,
} from "../config.ts";
import { codeOfSystem, fileErrors } from "../errors.ts";
import { readAt, statIfThere } from "../fs-calls.ts";
import { pathLock } from "../path-lock.ts";
import { FileConsumer, type OpenInput } from "./consumer.ts";
import { type CuttingReader, FrontCutter } from "./cut.ts";
import { decoderOptions } from "./decoder-options.ts";
import { DecompressedInput } from "./decompressed-input.ts";
import type { ByteInput } from "./input.ts";
import type { Acked } from "./ledger.ts";
import { OffsetFile } from "./offset-file.ts";
import { headerOf, openRegular, type Resume, type Start } from "./open-regular.ts";
import { openStream } from "./open-stream.ts";
import { type Generation, KERNEL_BUFFERS_MAX, type KernelBuffers, RegularInput } from "./regular-input.ts";
import { epochOf, makeStamp } from "./stamp.ts";
import { isStdin } from "./stream-input.ts";
import { recover } from "./succession.ts";

/** What a source remembers between the connections of one run. */
interface Session {
  acked: Acked<Generation | undefined> | undefined;
  header: CsvStreamHeader | undefined;
  epoch: number;
  readonly kernelBuffers: KernelBuffers;
}

const WAIT_FOR_FILE_MS = 250;

export async function openConsumer(config: FileConfig, context: OpenContext): Promise<Consumer> {
  const path = pathOf(config, context);
  // Also where the shell has given a file: it is read on from where it stands.
  if (isStdin(path)) return openStream(config, path, context);
  const stats = await statIfThere(path).catch(() => undefined);
  if (stats?.isDirectory()) throw fileErrors.IS_DIRECTORY({ path: config.path });
  if (stats && !stats.isFile()) return openStream(config, path, context);
  return new FileSource(config, path, context).open();
}

/** Everything that one opened file source is made of. */
class FileSource {
  private readonly config: FileConfig;
  private readonly path: string;
  private readonly context: OpenContext;
  private readonly settings: RecordSettings;
  private readonly mode: SourceMode;
  private readonly session: Session;
  private readonly offsets: OffsetFile | undefined;
  private cutter: Shared<FrontCutter> | undefined;
  private cutting: CuttingReader | undefined;
  private group: { holder: FileSource | undefined } | undefined;
  private appeared = false;
  private warned = false;
  private warnedOfHeader = false;

  constructor(config: FileConfig, path: string, context: OpenContext) {
    this.config = config;
    this.path = path;
    this.context = context;
    this.settings = recordSettings(config, context);
    this.mode = modeOf(config);
    this.session = sessionOf(context);
    if (this.mode === "group_subscribe")
      this.offsets = new OffsetFile(`${path}.${config.group_id}.offset`, context.log);
  }

  async open(): Promise<Consumer> {
    const { config, context, settings, session } = this;
    this.holdGroup();
    let opened: OpenInput | undefined;
    try {
      opened = await this.openInput();
    } catch (error) {
      this.letGoOfGroup();
      throw error;
    }
    const startsAtZero = this.mode === "consume" && !deletes(config);
    return new FileConsumer(
      {
        path: config.path,
        draining: context.draining,
        log: context.log,
        decoder: decoderOptions(config, settings, context),
        records: session.acked?.records ?? 0,
        stamp: makeStamp({
          path: config.path,
          positions: config.source_metadata === true || context.positions,
          epoch: startsAtZero ? undefined : session.epoch,
          offsets: this.offsets !== undefined,
        }),
        open: () => this.openInput(),
        waitForFile: async (signal) => {
          this.appeared = true;
          await sleep(context.clock, WAIT_FOR_FILE_MS, signal);
        },
        reopen: (regular) => this.wrap(regular, 0),
        acked: (acked, header) => this.acked(acked, header),
        closed: () => this.close(),
      },
      opened,
    );
  }

  /** The position belongs to one reader of this bridge. */
  private holdGroup(): void {
    const { config, context, path } = this;
    if (!this.offsets) return;
    const group = context.local<{ holder: FileSource | undefined }>(`file:group:${config.group_id}:${path}`, () => ({
      holder: undefined,
    }));
    if (group.holder) throw fileErrors.GROUP_TWICE({ path: config.path, group: config.group_id! });
    group.holder = this;
    this.group = group;
  }

  private letGoOfGroup(): void {
    if (this.group?.holder === this) this.group.holder = undefined;
  }

  /** Undefined when a live source has to wait for the file; a drain fails with the reason. */
  private async openInput(): Promise<OpenInput | undefined> {
    const { path, settings, context } = this;
    const start = await this.start();
    let file: Awaited<ReturnType<typeof openRegular>>;
    try {
      file = await openRegular(path, start, settings, context.log, context.draining);
    } catch (error) {
      const system = codeOfSystem((error as { cause?: unknown }).cause);
      if (context.draining || (system !== "ENOENT" && system !== "EACCES" && system !== "ENOTDIR")) throw error;
      if (!this.warned) context.log.warn(`${this.config.path} cannot be opened yet (${system}); waiting for it`);
      this.warned = true;
      return undefined;
    }
    const regular = new RegularInput(file.fd, file.identity, settings.isPacked ? 0 : file.offset, {
      path,
      draining: context.draining,
      clock: context.clock,
      log: context.log,
      headroom: CHUNK_HEADROOM,
      kernelBuffers: this.session.kernelBuffers,
    });
    try {
      const header = await this.headerAt(file.fd, file.offset);
      await this.rememberStart(regular, file.offset);
      if (deletes(this.config)) await this.joinCutter(regular, file.offset);
      return { input: await this.wrap(regular, file.offset), regular, offset: file.offset, header };
    } catch (error) {
      await regular.close();
      throw error;
    }
  }

  private async start(): Promise<Start> {
    const { acked } = this.session;
    if (acked?.generation) {
      const { generation, offset } = acked;
      return { at: "offset", offset: offset - generation.shift, identity: generation.identity };
    }
    if (this.offsets) {
      await this.offsets.checkUsable();
      const stored = await this.offsets.load();
      if (stored) return { at: "offset", ...(stored satisfies Resume) };
      return { at: this.config.read_from_tail === true && !this.appeared ? "end" : "start" };
    }
    // What a file holds that appears only after the subscription is new, too.
    return { at: this.mode === "subscribe" && !this.appeared ? "end" : "start" };
  }

  /** What was read and not acked before a first ack must not be passed over by beginning at the end once more. */
  private async rememberStart(regular: RegularInput, offset: number): Promise<void> {
    const { generation } = regular;
    this.session.acked ??= { generation, offset, records: 0 };
    if (this.offsets && offset > 0) await this.offsets.store(offset, generation);
  }

  private async headerAt(fd: number, offset: number): Promise<CsvStreamHeader | undefined> {
    const { settings } = this;
    if (settings.format !== "csv" || offset === 0) return undefined;
    return settings.isPacked ? this.session.header : headerOf(fd, this.config.path, settings);
  }

  private async wrap(regular: RegularInput, skip: number): Promise<ByteInput> {
    const unpacker = await openUnpacker(this.settings.packing, this.config.path);
    return unpacker ? new DecompressedInput(regular, unpacker, skip) : regular;
  }

  private async joinCutter(regular: RegularInput, start: number): Promise<void> {
    const { context } = this;
    const real = await realpath(this.path);
    const lock = pathLock(context, real);
    this.cutter = await context.share(
      `file:cutter:${real}`,
      async () => {
        await recover(real, context.log);
        return new FrontCutter(real, lock, context.clock, context.log);
      },
      async () => {},
    );
    const { generation } = regular;
    this.cutting = {
      input: regular,
      acked: { generation, offset: start },
      // What stood in the file before a subscription stays.
      before: { generation, length: this.mode === "subscribe" ? start : 0 },
      headerLength: (fd) => this.headerLength(fd),
    };
    this.cutter.value.join(this.cutting);
  }

  /** As the decoder has read it: a header that was told otherwise would be cut in two. */
  private async headerLength(fd: number): Promise<number | undefined> {
    const { csv, delimiter, format } = this.settings;
    if (format !== "csv") return 0;
    const separator = this.session.header?.separator;
    const head = await readAt(fd, 0, HEADER_MAX);
    const end = separator === undefined ? undefined : headerEnd({ ...csv, separator }, delimiter, head);
    if (end !== undefined || this.warnedOfHeader) return end;
    this.warnedOfHeader = true;
    const path = this.config.path;
    this.context.log.warn(`${path}: nothing is cut, since its CSV header does not end within ${HEADER_MAX} bytes`);
    return undefined;
  }

  private async acked(acked: Acked<Generation | undefined>, header: CsvStreamHeader | undefined): Promise<void> {
    this.session.acked = acked;
    this.session.header = header;
    const { generation, offset } = acked;
    if (this.offsets) await this.offsets.store(offset, generation!);
    if (!this.cutting) return;
    this.cutting.acked = { generation: generation!, offset };
    await this.cutter!.value.advanced();
  }

  private async close(): Promise<void> {
    if (this.cutting) await this.cutter!.value.leave(this.cutting);
    await this.cutter?.release();
    try {
      await this.offsets?.close();
    } finally {
      this.letGoOfGroup();
    }
  }
}

function sessionOf(context: OpenContext): Session {
  const kept = context.session.get("file");
  if (kept) return kept as Session;
  const session: Session = {
    acked: undefined,
    header: undefined,
    epoch: epochOf(context),
    kernelBuffers: { left: KERNEL_BUFFERS_MAX },
  };
  context.session.set("file", session);
  return session;
}
