import { isUtf8 } from "node:buffer";
import type { MessageBatch } from "@mqb/core/plugin";
import { FieldKind } from "@mqb/json";
import { PayloadFields } from "@mqb/standard";
import type { Bound, Encoder } from "../contract.ts";
import { errors } from "../errors.ts";
import type { ValueSource } from "../statement/parse.ts";

interface Binding {
  readonly encoders: readonly Encoder[];
  text(value: number, text: string): Bound;
}

/** The values of the tokens of one statement, found in the bytes of a payload in one pass. */
export class TokenValues {
  private readonly sources: readonly ValueSource[];
  private readonly binding: Binding;
  private readonly fields: PayloadFields;
  /** For each token the number of its field; -1 where it is none of the payload. */
  private readonly numbers: readonly number[];

  constructor(sources: readonly ValueSource[], binding: Binding) {
    this.sources = sources;
    this.binding = binding;
    const paths: (readonly string[])[] = [];
    this.numbers = sources.map((source) => (source.from === "payload" ? paths.push(source.path) - 1 : -1));
    this.fields = new PayloadFields(paths);
  }

  /** One value for each token; what is not there is null. `isText`: of the whole batch. Throws a `permanent` error. */
  of(batch: MessageBatch, index: number, isText: boolean): Bound[] {
    const { fields } = this;
    fields.look(batch, index);
    if (fields.json && !isText && !isUtf8(batch.payload(index))) throw errors.NOT_AN_OBJECT({ what: "not UTF-8" });
    const values = new Array<Bound>(this.sources.length);
    for (let i = 0; i < values.length; i++) {
      const source = this.sources[i]!;
      if (source.from === "metadata") {
        const text = batch.metadata(index).get(source.key);
        values[i] = text === undefined ? null : this.binding.text(i, text);
      } else values[i] = this.field(i);
    }
    return values;
  }

  private field(token: number): Bound {
    const { json, places } = this.fields;
    if (!json) return null;
    const at = this.fields.placeOf(this.numbers[token]!);
    if (at < 0) return null;
    const kind = places!.kinds[at] as Parameters<Encoder>[0];
    if (kind === FieldKind.null) return null;
    return this.binding.encoders[token]!(kind, json, places!.starts[at]!, places!.ends[at]!);
  }
}
