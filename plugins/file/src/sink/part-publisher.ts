import { randomUUID } from "node:crypto";
import { link, mkdir, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import {
  ACCEPTED,
  type EndpointStatus,
  failed,
  type MessageBatch,
  type OpenContext,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import {
  type Compressor,
  CoveredRanges,
  createEncoder,
  formatErrors,
  openPacker,
  type PlannedPart,
  parsePartName,
  partExtension,
  partName,
  planParts,
  type RecordEncoder,
} from "@mqb/formats";
import { type FileConfig, recordSettings } from "../config.ts";
import { codeOfSystem, fileErrors, reasonOf } from "../errors.ts";
import { close, open, statIfThere, sync, syncDirectory, writeAll } from "../fs-calls.ts";
import { compressed } from "./encode.ts";

const STAGE = ".stage-";
const STALE_MS = 60_000;
/** Parts of one batch that are written at the same time. */
const PARALLEL = 8;

/** Opens a directory of part files. */
export async function openPartPublisher(config: FileConfig, path: string, context: OpenContext): Promise<Publisher> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    throw fileErrors.PART_DIRECTORY({ path: config.path, reason: reasonOf(cause) }, { cause });
  }
  const { format, delimiter, packing } = recordSettings(config, context);
  if (format === "csv") throw new TypeError("csv has no part files");
  await removeStale(path, context);
  return new PartPublisher(
    config.path,
    path,
    partExtension(format, packing),
    createEncoder(format, delimiter),
    await openPacker(packing),
    context,
  );
}

/**
 * Writes each run of consecutive source positions as one immutable file, named after the positions. What is there
 * already, found by one listing, is not written again, however a repeated batch is cut.
 */
class PartPublisher implements Publisher {
  private readonly target: string;
  private readonly directory: string;
  private readonly extension: string;
  private readonly encoder: RecordEncoder;
  private readonly compressor: Compressor | undefined;
  private readonly context: OpenContext;
  private readonly covered = new CoveredRanges();
  private listed = false;
  private closed = false;
  /** Messages that stood in parts already. */
  private recognised = 0;

  constructor(
    target: string,
    directory: string,
    extension: string,
    encoder: RecordEncoder,
    compressor: Compressor | undefined,
    context: OpenContext,
  ) {
    this.target = target;
    this.directory = directory;
    this.extension = extension;
    this.encoder = encoder;
    this.compressor = compressor;
    this.context = context;
  }

  async send(batch: MessageBatch): Promise<readonly Outcome[] | undefined> {
    if (this.closed) throw fileErrors.CLOSED({ path: this.target });
    if (!this.listed) await this.list();
    const plan = planParts(batch, this.covered);
    const outcomes = new Array<Outcome>(batch.length).fill(ACCEPTED);
    for (const index of plan.unplaced) outcomes[index] = failed(formatErrors.POSITION_MISSING({}));
    if (plan.repeated.length > 0)
      this.context.log.warn(
        `${this.target}: ${plan.repeated.length} messages repeat a source position and are dropped`,
      );
    if (plan.covered > 0) this.recognise(plan.covered);
    const waiting = [...plan.parts];
    const written: PlannedPart[] = [];
    const worker = async (): Promise<void> => {
      for (let part = waiting.shift(); part; part = waiting.shift()) {
        if (await this.writePart(batch, part, outcomes)) written.push(part);
      }
    };
    await Promise.all(Array.from({ length: Math.min(PARALLEL, waiting.length) }, worker));
    await this.makeDurable(written, outcomes);
    return outcomes.some((one) => one.type === "failed") ? outcomes : undefined;
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  status(): EndpointStatus {
    return { healthy: !this.closed, target: this.target, details: { recognised: this.recognised } };
  }

  /** A repetition is wanted; a source that counts other records by the same numbers is not, and looks the same from here. */
  private recognise(count: number): void {
    if (this.recognised === 0)
      this.context.log.warn(
        `${this.target}: records whose positions stand in part files already are not written again; if the source was written anew since, use another directory`,
        { records: count },
      );
    this.recognised += count;
  }

  /** A failed listing is tried again with the next batch; until then only equal names are recognised. */
  private async list(): Promise<void> {
    try {
      for (const name of await readdir(this.directory)) {
        const range = parsePartName(name);
        if (range) this.covered.add(range);
      }
      this.listed = true;
    } catch (error) {
      this.context.log.warn(`the parts in ${this.target} cannot be listed: ${reasonOf(error)}`);
    }
  }

  private async writePart(batch: MessageBatch, part: PlannedPart, outcomes: Outcome[]): Promise<boolean> {
    const name = partName(part, this.extension);
    try {
      const { chunks, refused } = this.encoder.encode(batch.select(part.indices));
      for (const { index, error } of refused) outcomes[part.indices[index]!] = failed(error);
      if (chunks.length === 0) return false;
      await this.publish(await compressed(chunks, this.compressor), join(this.directory, name));
      this.encoder.release(chunks);
      return true;
    } catch (cause) {
      const error =
        codeOfSystem(cause) === "ENAMETOOLONG"
          ? fileErrors.PART_NAME_TOO_LONG({ path: this.target, part: name }, { cause })
          : fileErrors.PART_FAILED({ path: this.target, part: name, reason: reasonOf(cause) }, { cause });
      fail(outcomes, part, error);
      return false;
    }
  }

  /** Writes to a staging name, then gives it the real one, unless that is taken. */
  private async publish(chunks: readonly Buffer[], path: string): Promise<void> {
    const stage = join(this.directory, `${STAGE}${randomUUID()}`);
    try {
      const fd = await open(stage, "wx");
      try {
        for (const chunk of chunks) await writeAll(fd, chunk);
        await sync(fd);
      } finally {
        await close(fd);
      }
      await nameOnce(stage, path);
    } finally {
      await unlink(stage).catch(() => {});
    }
  }

  private async makeDurable(written: readonly PlannedPart[], outcomes: Outcome[]): Promise<void> {
    if (written.length === 0) return;
    try {
      await syncDirectory(this.directory);
      for (const part of written) this.covered.add(part);
    } catch (cause) {
      const error = fileErrors.SYNC_FAILED({ path: this.target, reason: reasonOf(cause) }, { cause });
      for (const part of written) fail(outcomes, part, error);
    }
  }
}

function fail(outcomes: Outcome[], part: PlannedPart, error: unknown): void {
  for (const index of part.indices) if (outcomes[index]!.type !== "failed") outcomes[index] = failed(error);
}

/** A name that is taken already is left alone. */
async function nameOnce(stage: string, path: string): Promise<void> {
  try {
    await link(stage, path);
  } catch (error) {
    const code = codeOfSystem(error);
    if (code === "EEXIST") return;
    // File systems without hard links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw error;
    if ((await statIfThere(path)) === undefined) await rename(stage, path);
  }
}

/** Removes what a process that died has left behind. */
async function removeStale(directory: string, context: OpenContext): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(STAGE)) continue;
    const path = join(directory, name);
    const stats = await statIfThere(path).catch(() => undefined);
    if (stats && context.clock.now() - Number(stats.mtimeMs) > STALE_MS) await unlink(path).catch(() => {});
  }
}
