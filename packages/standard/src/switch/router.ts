import type { ExpressionCompiler, MessageBatch, Predicate } from "@mqb/core/plugin";
import { range } from "../batch/range.ts";
import { NeverTrue } from "../expressions/never-true.ts";
import type { SwitchSettings } from "./config.ts";

/** Where the messages of a batch go: to one destination, or each to its own. */
export type Routed =
  | { readonly all: number }
  | {
      /** The destination by position. */
      readonly each: Int32Array;
      /** Messages that an expression could not be evaluated for; they go nowhere. */
      readonly failed?: readonly { readonly index: number; readonly error: unknown }[];
    };

export interface Router {
  /** Picks destinations by their position in `destinationsOf`. */
  readonly route: (batch: MessageBatch) => Routed;
  /** Why expressions have never been true, a line for each that reads a field which no message had. */
  readonly neverTrue: () => readonly string[];
}

/** No destination: dropped. */
export const NOWHERE = -1;

/** Throws what the compiler throws. */
export function routerOf(settings: SwitchSettings, expressions: () => ExpressionCompiler): Router {
  const { metadata_key: key, cases, when, default: other } = settings;
  const fallback = (before: number): number => (other === undefined ? NOWHERE : before);
  if (key == null) {
    const tested = (when ?? []).map((one) => caseOf(one.if, expressions()));
    return {
      route: (batch) => byExpression(batch, tested, fallback(tested.length)),
      neverTrue: () =>
        tested.flatMap(({ source, never }) => {
          const why = never.explain();
          return why === undefined ? [] : [`\`if: ${source}\` was true for ${why}`];
        }),
    };
  }
  const values = new Map(Object.keys(cases ?? {}).map((value, index) => [value, index]));
  return { route: (batch) => byValue(batch, key, values, fallback(values.size)), neverTrue: () => [] };
}

interface Case {
  readonly source: string;
  readonly predicate: Predicate;
  readonly never: NeverTrue;
}

function caseOf(source: string, compiler: ExpressionCompiler): Case {
  const predicate = compiler.predicate(source);
  return { source, predicate, never: new NeverTrue(predicate) };
}

function byValue(batch: MessageBatch, key: string, values: ReadonlyMap<string, number>, other: number): Routed {
  const of = (value: string | undefined): number => (value === undefined ? other : (values.get(value) ?? other));
  const shared = batch.shared?.get(key);
  if (shared !== undefined) return { all: of(shared) };
  const each = new Int32Array(batch.length);
  for (let index = 0; index < each.length; index++) each[index] = of(batch.metadata(index).get(key));
  return { each };
}

/** The first predicate that is true counts; a later one does not see the message. */
function byExpression(batch: MessageBatch, cases: readonly Case[], other: number): Routed {
  const each = new Int32Array(batch.length).fill(other);
  const failed: { index: number; error: unknown }[] = [];
  let open = range(0, batch.length);
  for (const [destination, { predicate, never }] of cases.entries()) {
    if (open.length === 0) break;
    const rest = open.length === batch.length ? batch : batch.select(open);
    const tested = predicate.test(rest);
    never.note(rest, tested.matched.length);
    const settled = new Uint8Array(open.length);
    for (const at of tested.matched) {
      each[open[at]!] = destination;
      settled[at] = 1;
    }
    for (const { index: at, error } of tested.failed ?? []) {
      each[open[at]!] = NOWHERE;
      failed.push({ index: open[at]!, error });
      settled[at] = 1;
    }
    open = open.filter((_, at) => settled[at] === 0);
  }
  return { each, failed };
}
