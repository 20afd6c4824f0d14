import {
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  type MessageBatch,
  type Metadata,
  type Slab,
  slabBatch,
} from "@mqb/core/plugin";
import type { Template } from "../template/template.ts";
import type { StaticSettings } from "./config.ts";

const DONE: Promise<void> = Promise.resolve();
const NOTHING: Delivery = { batch: batchOf([]), commit: () => DONE };
const NEWLINE = Buffer.from("\n");
/** A body that repeats is written into a slab that often only while that stays small. */
const MAX_SLAB_BYTES = 4 * 1024 * 1024;
/** The largest batch; a huge `batch_size` must not fill the memory. */
const MAX_BATCH = 100_000;

/** Gives the body again and again; in a drain it gives one batch, and then ends. */
export class StaticConsumer implements Consumer {
  private readonly template: Template;
  private readonly shared: Metadata | undefined;
  private readonly once: boolean;
  private given: boolean;
  private readonly settled: () => void;
  private repeated: Slab | undefined;
  /** Of the one batch of a drain: what was nacked, to be given again. */
  private returned: MessageBatch | undefined;

  /** `settled` is called when the one batch of a drain is done with; `given`: it was, before a reconnect. */
  constructor(
    template: Template,
    settings: StaticSettings,
    drain: { readonly once: boolean; readonly given: boolean; readonly settled: () => void },
  ) {
    this.template = template;
    const pairs = Object.entries(settings.metadata);
    this.shared = pairs.length > 0 ? new Map(pairs) : undefined;
    this.once = drain.once;
    this.given = drain.given;
    this.settled = drain.settled;
  }

  receive(max: number, signal: AbortSignal): Promise<Delivery> {
    if (signal.aborted) return Promise.resolve(NOTHING);
    if (!this.once) return Promise.resolve({ batch: this.batch(Math.min(max, MAX_BATCH)), commit: () => DONE });
    const batch = this.given ? this.returned : this.batch(Math.min(max, MAX_BATCH));
    this.given = true;
    this.returned = undefined;
    return Promise.resolve(batch ? { batch, commit: (dispositions) => this.settle(batch, dispositions) } : NOTHING);
  }

  async close(): Promise<void> {}

  status() {
    return { healthy: true, target: "static" };
  }

  private settle(batch: MessageBatch, dispositions: readonly Disposition[] = []): Promise<void> {
    const nacked = dispositions.flatMap(({ type }, index) => (type === "nack" ? [index] : []));
    if (nacked.length > 0) this.returned = batch.select(Uint32Array.from(nacked));
    else this.settled();
    return DONE;
  }

  private batch(size: number): MessageBatch {
    const { constant } = this.template;
    if (constant === undefined) {
      const bodies = Array.from({ length: size }, () => Buffer.from(this.template.render()));
      return slabBatch(layOut(bodies), undefined, this.shared);
    }
    if (this.repeated?.starts.length !== size) this.repeated = repeat(Buffer.from(constant), size);
    return slabBatch(this.repeated, undefined, this.shared);
  }
}

function repeat(body: Buffer, times: number): Slab {
  if ((body.length + 1) * times <= MAX_SLAB_BYTES) return layOut(new Array<Buffer>(times).fill(body));
  return { bytes: body, starts: new Uint32Array(times), ends: new Uint32Array(times).fill(body.length) };
}

/** The bodies one after another, each followed by a newline when none of them holds one. */
function layOut(bodies: readonly Buffer[]): Slab {
  const lines = bodies.every((body) => !body.includes(NEWLINE));
  const starts = new Uint32Array(bodies.length);
  const ends = new Uint32Array(bodies.length);
  const pieces: Buffer[] = [];
  let at = 0;
  bodies.forEach((body, i) => {
    starts[i] = at;
    ends[i] = at += body.length;
    pieces.push(body);
    if (!lines) return;
    pieces.push(NEWLINE);
    at++;
  });
  const slab = { bytes: Buffer.concat(pieces), starts, ends };
  return lines ? { ...slab, terminator: NEWLINE } : slab;
}
