import type { StateStore } from "@mqb/core/plugin";
import { errors } from "../errors.ts";

/** Which phase a sequence has reached, in a state store: `1 file,kafka`, as mq-bridge writes it. */
export class Marker {
  private readonly store: StateStore;
  private readonly id: string;
  private readonly kinds: readonly string[];

  constructor(store: StateStore, id: string, kinds: readonly string[]) {
    this.store = store;
    this.id = id;
    this.kinds = kinds;
  }

  /** The index of the phase; undefined when none is stored. Throws a `config` error when it is that of another list. */
  async read(): Promise<number | undefined> {
    const [entry] = await this.store.getMany([this.key]);
    if (!entry) return undefined;
    const text = Buffer.from(entry.value).toString("utf8");
    const [, digits, stored] = /^(\d+) (\S+)$/.exec(text) ?? [];
    if (digits === undefined || stored === undefined) throw errors.SEQUENCE_MARKER({ id: this.id, text });
    const kinds = this.kinds.join(",");
    if (stored !== kinds) throw errors.SEQUENCE_OTHER({ id: this.id, stored, configured: kinds });
    const phase = Number(digits);
    if (phase >= this.kinds.length) throw errors.SEQUENCE_MARKER({ id: this.id, text });
    return phase;
  }

  async write(phase: number): Promise<void> {
    await this.store.putMany([{ key: this.key, value: Buffer.from(`${phase} ${this.kinds.join(",")}`) }]);
  }

  async clear(): Promise<void> {
    await this.store.deleteMany([this.key]);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private get key(): string {
    return `sequence:${this.id}`;
  }
}
