import { batchOf, type Consumer, type Delivery, type EndpointStatus, type Logger } from "@mqb/core/plugin";
import {
  type CsvStreamHeader,
  createDecoder,
  type DecodedBatch,
  type DecoderOptions,
  type RecordDecoder,
  type Stamp,
} from "@mqb/formats";
import { fileErrors } from "../errors.ts";
import { FedChunk } from "./fed-chunk.ts";
import type { ByteInput, Chunk } from "./input.ts";
import { type Acked, Ledger } from "./ledger.ts";
import type { Generation, RegularInput } from "./regular-input.ts";

/** An input that is ready to be read, and where its records are decoded from. */
export interface OpenInput {
  readonly input: ByteInput;
  /** The file behind it; undefined for pipes and terminals. */
  readonly regular: RegularInput | undefined;
  readonly offset: number;
  readonly header: CsvStreamHeader | undefined;
}

export interface ConsumerOptions {
  readonly path: string;
  readonly draining: boolean;
  readonly log: Logger;
  readonly decoder: Omit<DecoderOptions, "offset" | "header">;
  /** Records of earlier connections of this run. */
  readonly records: number;
  /** What a record is stamped with, or undefined. `record` is its index in this run. */
  readonly stamp: ((record: number, offsetAfter: number, into: Map<string, string>) => void) | undefined;
  /** Opens the input; undefined when there is nothing to open yet. */
  open(): Promise<OpenInput | undefined>;
  /** Waits a moment for the file to appear. */
  waitForFile(signal: AbortSignal): Promise<void>;
  /** Makes the bytes of the generation that begins now: decompression starts anew with each. */
  reopen(regular: RegularInput): Promise<ByteInput>;
  /** The acked position has moved. Resolves when it is kept. */
  acked(acked: Acked<Generation | undefined>, header: CsvStreamHeader | undefined): Promise<void>;
  /** Frees what belongs to the consumer besides its input. */
  closed(): Promise<void>;
}

const NOTHING: Delivery = { batch: batchOf([]), commit: async () => {} };

/** Reads records from a file or a stream, one chunk ahead. */
export class FileConsumer implements Consumer {
  readonly ledger: Ledger<Generation | undefined>;
  private readonly options: ConsumerOptions;
  private opened: OpenInput | undefined;
  private input: ByteInput | undefined;
  private decoder: RecordDecoder | undefined;
  private generation: Generation | undefined;
  private records: number;
  /** The header of a CSV was looked at. */
  private sawHeader = false;
  /** The next chunk, read while this one is worked on. */
  private ahead: Promise<Chunk | "end"> | undefined;
  /** What the decoder works on. */
  private fed: FedChunk | undefined;
  /** The file was replaced: after what is held of the old one, the new one begins. */
  private replaced = false;
  /** The decoder has got its last byte. */
  private ended = false;
  private isClosed = false;
  private failure: unknown;
  private preparing = false;
  private lastMax = 0;
  /** Ends the present wait. */
  private interrupt: (() => void) | undefined;

  constructor(options: ConsumerOptions, opened: OpenInput | undefined) {
    this.options = options;
    this.records = options.records;
    this.ledger = new Ledger((acked) => this.options.acked(acked, this.header()));
    this.ledger.onSettled = () => this.settled();
    if (opened) this.begin(opened);
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    while (!this.isClosed && !signal.aborted) {
      const delivery = this.ledger.next(max);
      if (delivery) {
        this.prepareNext(max);
        return delivery;
      }
      const decoded = this.take(max);
      if (decoded) await this.accept(decoded);
      else if (this.replaced) await this.beginReplacement();
      else if (!(await this.more(signal))) break;
    }
    return NOTHING;
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.interrupt?.();
    this.opened?.regular?.wake();
    await this.options.closed();
    const { fed, input, opened } = this;
    // Nobody decodes any more.
    this.fed = undefined;
    fed?.usedUp();
    // A stream goes on after `resume` with all that was read of it.
    if (opened?.regular) this.ledger.giveBack();
    await input?.close();
    if (input?.recycle) await this.giveBackAhead(input);
  }

  /** Makes a closed consumer of a stream usable again: what was not acked comes out first, then the stream goes on. */
  resume(): void {
    this.ledger.takeBack();
    this.isClosed = false;
  }

  status(): EndpointStatus {
    const regular = this.opened?.regular;
    const progress = regular?.progress;
    return {
      healthy: this.failure === undefined && (this.opened !== undefined || !this.options.draining),
      target: this.options.path,
      ...(progress ? { progress } : {}),
      details: {
        ...(this.decoder ? { offset: this.decoder.offset } : {}),
        ...(regular ? { pendingBytes: regular.pending } : {}),
        ...(this.opened ? {} : { waiting: "the file does not exist yet" }),
      },
    };
  }

  /** The stream's CSV header, as far as it is known. */
  header(): CsvStreamHeader | undefined {
    return (this.decoder as { header?: CsvStreamHeader } | undefined)?.header;
  }

  private begin(opened: OpenInput): void {
    this.opened = opened;
    this.input = opened.input;
    this.generation = opened.regular?.generation;
    this.decoder = this.makeDecoder(opened.offset, opened.header);
    void this.readAhead();
  }

  private take(max: number): DecodedBatch | undefined {
    if (this.failure) throw this.failure;
    try {
      const decoded = this.decoder?.take(max, this.stampFrom(this.records));
      return decoded && this.fed && this.decoder!.keepsChunks ? this.fed.lend(decoded) : decoded;
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  /** The chunk that was read for nobody. */
  private async giveBackAhead(input: ByteInput): Promise<void> {
    const chunk = await this.ahead?.catch(() => {});
    this.ahead = undefined;
    if (chunk && chunk !== "end") input.recycle!(chunk.bytes);
  }

  private fail(error: unknown): void {
    this.failure ??= error;
    this.interrupt?.();
  }

  private stampFrom(first: number): Stamp | undefined {
    const { stamp } = this.options;
    return stamp && ((index, offsetAfter, into) => stamp(first + index, offsetAfter, into));
  }

  /** Decodes one more batch while the sink writes this one, where batches are asked for in one size. */
  private prepareNext(max: number): void {
    const steady = max === this.lastMax;
    this.lastMax = max;
    if (!steady || this.preparing || this.ledger.waiting) return;
    this.preparing = true;
    setImmediate(() => {
      this.preparing = false;
      if (this.isClosed || this.ledger.waiting) return;
      try {
        const decoded = this.take(max);
        if (decoded) this.accept(decoded).catch((error: unknown) => this.fail(error));
      } catch {
        // Whoever asks next is told.
      }
    });
  }

  private async accept(decoded: DecodedBatch): Promise<void> {
    const { oversize } = decoded;
    if (oversize) {
      const { offset, size } = oversize;
      this.options.log.warn(`${this.options.path}: passed over a record of ${size} bytes at byte ${offset}`, {
        offset,
        size,
      });
      this.records += 1;
      await this.ledger.pass(decoded.offset, this.generation, this.records);
      return;
    }
    if (!this.sawHeader) this.lookAtHeader();
    this.records += decoded.batch.length;
    this.ledger.add(decoded, this.generation, this.records);
  }

  /** A header that is one column with another separator in it was probably meant to be several. */
  private lookAtHeader(): void {
    this.sawHeader = true;
    const [only, second] = this.header()?.columns ?? [];
    const mark = second === undefined ? /[;\t|,]/.exec(only ?? "")?.[0] : undefined;
    if (mark === undefined) return;
    const name = mark === "\t" ? "tab" : mark;
    this.options.log.warn(
      `${this.options.path}: the header is one column, ${JSON.stringify(only)}; if "${name}" separates columns, set csv.separator to "${name}" or "auto"`,
    );
  }

  /** Gets the decoder more to work on. False when there is nothing for now. */
  private async more(signal: AbortSignal): Promise<boolean> {
    if (this.ended) return this.afterEnd(signal);
    if (!this.opened) return this.openLater(signal);
    const chunk = await this.wait(this.readAhead(), signal);
    // What comes in the turn of the close stays ahead: `close` gives it back, or a stream goes on with it.
    if (chunk === undefined || this.isClosed) return this.goesOn(signal);
    this.ahead = undefined;
    if (chunk !== "end") {
      this.feed(chunk);
      void this.readAhead();
      return true;
    }
    const { regular } = this.opened;
    if (!regular) {
      if (!(await this.finishInput())) this.end();
      return true;
    }
    const followed = await regular.follow(signal);
    // The decoder's chunk has been given back.
    if (this.isClosed) return false;
    switch (followed) {
      case "more":
        return true;
      case "replaced":
        await this.finishReplaced();
        this.decoder!.end();
        this.replaced = true;
        return true;
      case "truncated":
        await this.beginReplacement();
        return true;
      case "nothing":
        if (this.options.draining && !(await this.finishInput())) this.end();
        return this.goesOn(signal);
    }
  }

  private feed(chunk: Chunk): void {
    this.fed?.usedUp();
    this.fed = new FedChunk(chunk.bytes, this.input!);
    this.decoder!.feed(chunk.bytes, chunk.start, chunk.end);
  }

  /** No more bytes come: gets what the input has held back until that was sure. False when there was nothing. */
  private async finishInput(): Promise<boolean> {
    try {
      const rest = await this.input!.finish?.();
      if (rest === undefined || rest === "end") return false;
      this.feed(rest);
      return true;
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  /** What a file that has been replaced lacks at its end will not come any more: the new one is read all the same. */
  private async finishReplaced(): Promise<void> {
    try {
      const rest = await this.input!.finish?.();
      if (rest !== undefined && rest !== "end") this.feed(rest);
    } catch (error) {
      const { log, path } = this.options;
      log.warn(`${path} was replaced before it was complete: ${(error as Error).message}; going on with the new file`);
    }
  }

  private end(): void {
    this.decoder!.end();
    this.ended = true;
  }

  /** What was read of a stream may come back still; only when it is settled the source is finished. */
  private async afterEnd(signal: AbortSignal): Promise<boolean> {
    if (!this.sawHeader) this.lookForLoneCr();
    if (this.options.draining || this.opened!.regular) return false;
    if (this.ledger.empty) throw fileErrors.STREAM_ENDED({ path: this.options.path });
    // Any commit ends the wait.
    await this.wait(new Promise<never>(() => {}), signal);
    return this.goesOn(signal);
  }

  /** A file with the line breaks of old Macs is one long header to a reader of CSV. */
  private lookForLoneCr(): void {
    this.sawHeader = true;
    if (!this.header()?.columns.some((name) => name.includes("\r"))) return;
    this.options.log.warn(
      `${this.options.path}: no row follows the header, which holds carriage returns; if they end the records, set delimiter: "\\r"`,
    );
  }

  /** After each commit: what came back is not to wait for more of the source, nor the end of a stream. */
  private settled(): void {
    if (!this.ended && !this.ledger.waiting) return;
    this.interrupt?.();
    this.opened?.regular?.wake();
  }

  private goesOn(signal: AbortSignal): boolean {
    return !this.isClosed && !signal.aborted;
  }

  private async openLater(signal: AbortSignal): Promise<boolean> {
    const opened = await this.options.open();
    if (opened) {
      if (this.isClosed) await opened.input.close();
      else this.begin(opened);
      return true;
    }
    await this.wait(this.options.waitForFile(signal), signal);
    return this.goesOn(signal);
  }

  private async beginReplacement(): Promise<void> {
    const { regular } = this.opened!;
    this.replaced = false;
    this.generation = regular!.generation;
    const before = this.input;
    this.input = await this.options.reopen(regular!);
    before?.letGo?.();
    this.decoder = this.makeDecoder(0, undefined);
  }

  private makeDecoder(offset: number, header: CsvStreamHeader | undefined): RecordDecoder {
    return createDecoder({ ...this.options.decoder, offset, ...(header ? { header } : {}) });
  }

  /** The value, or undefined when the signal aborts or the consumer is closed first. Leaves no listener behind. */
  private async wait<T>(value: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    let giveUp: (() => void) | undefined;
    const given = new Promise<undefined>((resolve) => {
      giveUp = () => resolve(undefined);
      signal.addEventListener("abort", giveUp, { once: true });
      this.interrupt = giveUp;
    });
    try {
      return await Promise.race([value, given]);
    } finally {
      signal.removeEventListener("abort", giveUp!);
      this.interrupt = undefined;
    }
  }

  private readAhead(): Promise<Chunk | "end"> {
    if (!this.ahead) {
      this.ahead = this.input!.next();
      // Whoever asks next gets the rejection.
      this.ahead.catch(() => {});
    }
    return this.ahead;
  }
}
