import { isUtf8 } from "node:buffer";
import type { MessageBatch } from "@mqb/core/plugin";
import { compileFields, type FieldFinder, FieldKind, type JsonPath } from "@mqb/json";
import type { Bound, Encoder } from "../contract.ts";
import { errors } from "../errors.ts";
import type { ValueSource } from "../statement/parse.ts";
import { payloadAt } from "./rows.ts";

interface Binding {
  readonly encoders: readonly Encoder[];
  text(value: number, text: string): Bound;
}

/** The values of the tokens of one statement, found in the bytes of a payload in one pass. */
export class TokenValues {
  private readonly sources: readonly ValueSource[];
  private readonly binding: Binding;
  private readonly finder: FieldFinder | undefined;
  /** For each token the paths that it may mean: digits are a key or a position. */
  private readonly meanings: readonly (readonly number[])[];

  constructor(sources: readonly ValueSource[], binding: Binding) {
    this.sources = sources;
    this.binding = binding;
    const paths: JsonPath[] = [];
    this.meanings = sources.map((source) =>
      source.from === "payload" ? meaningsOf(source.path).map((path) => paths.push(path) - 1) : [],
    );
    this.finder = paths.length > 0 ? compileFields(paths) : undefined;
  }

  /** One value for each token; what is not there is null. Throws a `permanent` error. */
  of(batch: MessageBatch, index: number): Bound[] {
    const { bytes, start, end } = payloadAt(batch, index);
    const isJson = this.finder?.find(bytes, start, end) ?? false;
    if (isJson && !isUtf8(bytes.subarray(start, end))) throw errors.NOT_AN_OBJECT({ what: "not UTF-8" });
    const values = new Array<Bound>(this.sources.length);
    for (let i = 0; i < values.length; i++) {
      const source = this.sources[i]!;
      if (source.from === "metadata") {
        const text = batch.metadata(index).get(source.key);
        values[i] = text === undefined ? null : this.binding.text(i, text);
      } else values[i] = isJson ? this.field(i, bytes) : null;
    }
    return values;
  }

  private field(token: number, bytes: Buffer): Bound {
    const { kinds, starts, ends } = this.finder!;
    for (const path of this.meanings[token]!) {
      const kind = kinds[path] as Parameters<Encoder>[0];
      if (kind === FieldKind.absent) continue;
      return kind === FieldKind.null ? null : this.binding.encoders[token]!(kind, bytes, starts[path]!, ends[path]!);
    }
    return null;
  }
}

function meaningsOf(steps: readonly string[]): JsonPath[] {
  let paths: (string | number)[][] = [[]];
  for (const step of steps) {
    const here = /^\d{1,9}$/.test(step) ? [step, Number(step)] : [step];
    paths = paths.flatMap((path) => here.map((one) => [...path, one]));
  }
  return paths;
}
