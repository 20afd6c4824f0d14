import { setTimeout as wait } from "node:timers/promises";
import type { Clock, Logger } from "@mqb/core/plugin";
import { reasonOf } from "../errors.ts";
import { fstat, statIfThere } from "../fs-calls.ts";
import type { PathLock } from "../path-lock.ts";
import type { Generation, RegularInput } from "./regular-input.ts";
import { type FileRange, Succession } from "./succession.ts";

/** One consumer that cuts what it has acked off the front of a file. */
export interface CuttingReader {
  readonly input: RegularInput;
  /** Where the acked records end, and in which generation of the input's file. */
  acked: { readonly generation: Generation; readonly offset: number };
  /** Bytes at the start of the file that are none of its business. */
  before: { readonly generation: Generation; readonly length: number };
  /** Bytes of the CSV header, which stays; undefined when its end is not known, so that nothing can be cut. */
  headerLength(fd: number): Promise<number | undefined>;
}

/** Who opens a file for one write has written by then: only after that readers leave the old file for the new one. */
const QUIET_MS = 50;
const LOOK_AGAIN_MAX = 1000;
/** Who was held up between opening and writing for longer than that is not heard of any more. */
const LATE_MS = 2000;
/** The same when a route ends, in real time. */
const CLOSING_MS = 25;
const CLOSING_LOOKS = 40;

/**
 * Cuts a file for all consumers of its path in one process: what every one of them has acked goes. A cut costs a copy of
 * what is left, so it waits until at least as much can go. A file is never shortened in place, since that would take
 * away what another program appends meanwhile: a new file takes the name, the readers read the old one to its end, and
 * then go on in the new one.
 */
export class FrontCutter {
  private readonly path: string;
  private readonly lock: PathLock;
  private readonly clock: Clock;
  private readonly log: Logger;
  private readonly readers = new Set<CuttingReader>();
  private running: Promise<void> = Promise.resolve();
  private warned = false;
  /** The file that readers have still to leave. */
  private succession: { readonly files: Succession; readonly from: number; readonly to: number } | undefined;
  /** Files that were left a moment ago. */
  private late: Succession[] = [];
  private cancelAlarm: (() => void) | undefined;
  private lookAgain = QUIET_MS;

  /** `path` is the real one: a rename must not replace a symbolic link. */
  constructor(path: string, lock: PathLock, clock: Clock, log: Logger) {
    this.path = path;
    this.lock = lock;
    this.clock = clock;
    this.log = log;
  }

  join(reader: CuttingReader): void {
    this.readers.add(reader);
  }

  /** Cuts what can go for good, and forgets the reader. */
  async leave(reader: CuttingReader): Promise<void> {
    if (!this.readers.has(reader)) return;
    const last = this.readers.size === 1;
    await this.run(async () => {
      await this.cutLocked(true);
      if (last) await this.finishAll();
    });
    reader.input.stay = undefined;
    this.readers.delete(reader);
  }

  /** Called after a reader's `acked` has moved. Never rejects: what could not be cut is cut later. */
  advanced(): Promise<void> {
    return this.run(() => this.cutLocked(false));
  }

  private run(work: () => Promise<void>): Promise<void> {
    this.running = this.running.then(async () => {
      try {
        await this.lock.run(work);
      } catch (error) {
        if (!this.warned) this.log.warn(`acknowledged records cannot be cut from ${this.path}: ${reasonOf(error)}`);
        this.warned = true;
      }
    });
    return this.running;
  }

  private async cutLocked(always: boolean): Promise<void> {
    await this.whileAllIdle(async () => {
      await this.leaveOld(false);
      if (!this.succession) await this.cut(always);
    });
    await this.rescueLate();
    this.setAlarm();
  }

  /** Runs `work` while no reader reads. */
  private async whileAllIdle(work: () => Promise<void>): Promise<void> {
    const inputs = Array.from(this.readers, ({ input }) => input);
    const from = async (index: number): Promise<void> => {
      const input = inputs[index];
      await (input ? input.whileIdle(() => from(index + 1)) : work());
    };
    await from(0);
  }

  private async cut(always: boolean): Promise<void> {
    const readers = [...this.readers];
    const first = readers[0];
    if (!first) return;
    const fd = first.input.descriptor;
    const stats = await fstat(fd);
    // A file that has lost its name is only read to its end.
    if ((await statIfThere(this.path))?.ino !== stats.ino) return;
    if (readers.some(({ input }) => input.ino !== first.input.ino)) return;
    const header = await first.headerLength(fd);
    if (header === undefined) return;
    const from = Math.max(header, Math.min(...readers.map(lengthBefore)));
    const to = Math.min(...readers.map(ackedPosition));
    const left = Number(stats.size) - to;
    if (to <= from || left < 0 || (!always && left > to - from)) return;
    await this.replace(from, to, [
      { fd, from: 0, to: from },
      { fd, from: to },
    ]);
  }

  /** `from` and `to`: what is left out of the readers' present file. */
  private async replace(from: number, to: number, parts: readonly FileRange[]): Promise<void> {
    const ino = (await fstat(parts.at(-1)!.fd)).ino;
    const { path, clock, log } = this;
    const files = await Succession.begin({ path, ino, parts, readers: this.readers.size, clock, log });
    if (!files) return;
    this.lock.version += 1;
    this.succession = { files, from, to };
    this.lookAgain = QUIET_MS;
    for (const { input } of this.readers) if (input.ino === String(files.ino)) input.stay = () => this.hurry();
  }

  /** Lets the readers go on in the new file, once the old one is read to its end and has been quiet. */
  private async leaveOld(isQuiet: boolean): Promise<void> {
    if (!this.succession) return;
    const { files, from, to } = this.succession;
    const size = await files.look();
    if (!isQuiet && files.quiet < QUIET_MS) return;
    const here = this.onOld(files);
    if (here.some(({ input }) => input.position < size)) return;
    // What came late is in the old file alone: it has to be settled before the old one is left.
    if (size > files.accounted && here.some((reader) => ackedPosition(reader) < size)) return;
    for (const reader of here) {
      const length = lengthBefore(reader);
      await reader.input.moveTo(files.fresh.pop()!, size - files.base);
      const { generation } = reader.input;
      reader.before = { generation, length: length <= from ? length : Math.max(from, length - (to - from)) };
      reader.input.stay = undefined;
      reader.input.wake();
    }
    if (here.length > 0) files.accounted = size;
    this.late.push(files);
    this.succession = undefined;
  }

  private onOld(files: Succession): CuttingReader[] {
    return [...this.readers].filter(({ input }) => input.ino === String(files.ino));
  }

  /** A draining reader has read the old file to its end and does not wait for long. */
  private hurry(): Promise<void> {
    return this.run(async () => {
      await wait(CLOSING_MS);
      await this.whileAllIdle(() => this.leaveOld(true));
      this.setAlarm();
    });
  }

  /** The last reader leaves: everything that is still under way comes to its end. */
  private async finishAll(): Promise<void> {
    this.cancelAlarm?.();
    this.cancelAlarm = undefined;
    do {
      if (this.succession || this.late.length > 0) await this.untilQuiet();
      await this.whileAllIdle(async () => {
        await this.leaveOld(true);
        if (this.succession) await this.putBack();
        await this.cut(true);
      });
    } while (this.succession);
    await this.untilQuiet();
    for (const files of this.late.splice(0)) {
      try {
        await files.rescue();
      } finally {
        await files.end();
      }
    }
  }

  private async untilQuiet(): Promise<void> {
    const all = this.succession ? [...this.late, this.succession.files] : this.late;
    for (let looks = 0; looks < CLOSING_LOOKS; looks++) {
      const before = await sizes(all);
      await wait(CLOSING_MS);
      if ((await sizes(all)) === before) return;
    }
  }

  /** Puts what was not acked of the old file before what others have written to the new one. */
  private async putBack(): Promise<void> {
    const { files, from, to } = this.succession!;
    this.succession = undefined;
    this.late.push(files);
    const [reader] = this.onOld(files);
    if (!reader) return;
    const acked = ackedPosition(reader);
    // The new file begins with exactly what is left already.
    if (acked <= to) return reader.input.moveTo(files.fresh.pop()!, to - from);
    const size = await files.look();
    const fd = files.fresh[0]!;
    await this.replace(from, acked, [
      { fd, from: 0, to: from },
      { fd: files.fd, from: acked, to: size },
      { fd, from: files.base },
    ]);
    const next = this.succession as { readonly files: Succession } | undefined;
    this.succession = undefined;
    // Another file has the path by now: what is left is appended to that.
    if (!next) files.accounted = Math.min(files.accounted, acked);
    else {
      files.accounted = size;
      this.late.push(next.files);
      await reader.input.moveTo(next.files.fresh.pop()!, acked - from);
    }
  }

  /** Takes over what was written to an old file although it had been quiet. */
  private async rescueLate(): Promise<void> {
    for (const files of [...this.late]) {
      await files.rescue();
      if (files.quiet < LATE_MS) continue;
      this.late.splice(this.late.indexOf(files), 1);
      await files.end();
    }
  }

  private setAlarm(): void {
    if (this.cancelAlarm || (!this.succession && this.late.length === 0)) return;
    const due = this.succession ? this.lookAgain : LATE_MS;
    if (this.succession) this.lookAgain = Math.min(LOOK_AGAIN_MAX, due * 2);
    this.cancelAlarm = this.clock.timer(due, () => {
      this.cancelAlarm = undefined;
      if (this.readers.size > 0) void this.advanced();
    });
  }
}

function lengthBefore({ input, before }: CuttingReader): number {
  return before.generation === input.generation ? before.length : 0;
}

/** Nothing of a file that has just taken the place of another is acked. */
function ackedPosition({ input, acked }: CuttingReader): number {
  return acked.generation === input.generation ? acked.offset - acked.generation.shift : 0;
}

async function sizes(all: readonly Succession[]): Promise<string> {
  return (await Promise.all(all.map((files) => files.look()))).join();
}
