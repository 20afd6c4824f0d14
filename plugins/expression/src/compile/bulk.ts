import type { MessageBatch } from "@mqb/core/plugin";
import { type BatchFields, FieldKind } from "@mqb/json";
import { isQuoted } from "../message-source.ts";
import { negate } from "../number/arithmetic.ts";
import { readNumberText } from "../number/text.ts";
import type { Node } from "../syntax/tree.ts";

/** What a test says of a message. `unfit`: it cannot be computed, as a field that it reads has no plain value; `unknown`: ask its closures. */
export const Verdict = { no: 0, yes: 1, unknown: 2, unfit: 3 } as const;

/** Writes the verdict about each message of the batch; `found` has turned to it. */
export type BulkTest = (found: BatchFields, batch: MessageBatch, verdicts: Uint8Array) => void;

/** What the compiler knows of names. */
export interface Names {
  /** The slot of the payload's field that a node reads; undefined when it reads something else. */
  slotOf(node: Node): number | undefined;
  /** Has the values of a slot read as numbers; their place among those that are. */
  numberOf(slot: number): number;
}

type Binary = Extract<Node, { type: "binary" }>;

/** By comparison: what it says of less, equal and greater. */
const ORDERS: Readonly<Record<string, readonly [number, number, number]>> = {
  "==": [0, 1, 0],
  "!=": [1, 0, 1],
  "<": [1, 0, 0],
  "<=": [1, 1, 0],
  ">": [0, 0, 1],
  ">=": [0, 1, 1],
};
/** The same with the sides changed. */
const TURNED: Readonly<Record<string, string>> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/**
 * Tests of fields against constants, and what joins them, for whole batches and straight from the bytes; undefined for
 * everything else. What it says is what the closures of the same node say.
 */
export function bulkTest(node: Node, names: Names): BulkTest | undefined {
  if (node.type === "name" || node.type === "member") return flag(node, names);
  if (node.type === "unary" && node.operator === "not") return inverse(bulkTest(node.of, names));
  if (node.type !== "binary") return undefined;
  const { operator, left, right } = node;
  if (operator === "and" || operator === "or")
    return joined(bulkTest(left, names), bulkTest(right, names), operator === "and" ? Verdict.yes : Verdict.no);
  if (operator === "in" || operator === "not in") return membership(node, names);
  if (!ORDERS[operator]) return undefined;
  return textTest(operator, left, right, names) ?? numberTest(node, names);
}

/** A field that is a boolean itself. */
function flag(node: Node, names: Names): BulkTest | undefined {
  const slot = names.slotOf(node);
  if (slot === undefined) return undefined;
  return ({ kinds, width }, { length }, verdicts) => {
    for (let i = 0, at = slot; i < length; i++, at += width) {
      const kind = kinds[at];
      if (kind === FieldKind.true) verdicts[i] = Verdict.yes;
      else if (kind === FieldKind.false) verdicts[i] = Verdict.no;
      else verdicts[i] = kind === FieldKind.number || kind === FieldKind.string ? Verdict.unknown : Verdict.unfit;
    }
  };
}

function inverse(test: BulkTest | undefined): BulkTest | undefined {
  if (!test) return undefined;
  return (found, batch, verdicts) => {
    test(found, batch, verdicts);
    for (let i = 0; i < batch.length; i++) if (verdicts[i]! <= Verdict.yes) verdicts[i] = 1 - verdicts[i]!;
  };
}

/** The second side decides where the first one says `open`. */
function joined(first: BulkTest | undefined, second: BulkTest | undefined, open: number): BulkTest | undefined {
  if (!first || !second) return undefined;
  let others = new Uint8Array(0);
  return (found, batch, verdicts) => {
    if (others.length < batch.length) others = new Uint8Array(batch.length);
    first(found, batch, verdicts);
    second(found, batch, others);
    for (let i = 0; i < batch.length; i++) if (verdicts[i] === open) verdicts[i] = others[i]!;
  };
}

function textTest(operator: string, left: Node, right: Node, names: Names): BulkTest | undefined {
  const order = operator === "==" || operator === "!=" ? ORDERS[operator]! : undefined;
  const [field, text] = left.type === "literal" ? [right, left] : [left, right];
  return order && text.type === "literal" ? isOneOf([text], names.slotOf(field), order[1], order[0], false) : undefined;
}

function membership({ operator, left, right }: Binary, names: Names): BulkTest | undefined {
  if (right.type !== "list") return undefined;
  return isOneOf(right.items, names.slotOf(left), operator === "in" ? 1 : 0, operator === "in" ? 0 : 1, true);
}

/** Whether a field is one of some constant texts. `reads`: its value is made also where it is no text, which can fail. */
function isOneOf(
  texts: readonly Node[],
  slot: number | undefined,
  yes: number,
  no: number,
  reads: boolean,
): BulkTest | undefined {
  const values = texts.map((text) =>
    text.type === "literal" && typeof text.value === "string" ? text.value : undefined,
  );
  const quoted = values.map((value) => Buffer.from(JSON.stringify(value ?? "")));
  if (slot === undefined || values.includes(undefined) || quoted.some((one) => one.includes(0x5c))) return undefined;
  return ({ kinds, starts, ends, width }, batch, verdicts) => {
    const { length, slab } = batch;
    for (let i = 0, at = slot; i < length; i++, at += width) {
      const kind = kinds[at]!;
      if (kind !== FieldKind.string) {
        verdicts[i] = reads && (kind === FieldKind.number || kind >= FieldKind.object) ? Verdict.unknown : no;
        continue;
      }
      verdicts[i] = no;
      const bytes = slab ? slab.bytes : batch.payload(i);
      for (let t = 0; t < quoted.length; t++) {
        const same = isQuoted(bytes, starts[at]!, ends[at]!, quoted[t]!);
        if (same === false) continue;
        verdicts[i] = same ? yes : Verdict.unknown;
        break;
      }
    }
  };
}

/** A field, or `number(field)`, against a number. */
function numberTest({ operator, left, right }: Binary, names: Names): BulkTest | undefined {
  const [of, literal, turned] =
    numeral(right) === undefined ? [right, numeral(left), true] : [left, numeral(right), false];
  if (literal === undefined) return undefined;
  const made = of.type === "call" && of.name === "number" && of.inputs.length === 1;
  const slot = names.slotOf(made ? of.inputs[0]! : of);
  if (slot === undefined) return undefined;
  const name = turned ? (TURNED[operator] ?? operator) : operator;
  const [less, equal, greater] = ORDERS[name]!;
  const isEquality = name === "==" || name === "!=";
  // What is said of an absent field and a null; of a list and an object, in which something may be that cannot be read;
  // and of a boolean.
  const bare = made || !isEquality ? Verdict.unfit : less;
  const nested = made || !isEquality ? Verdict.unfit : Verdict.unknown;
  const truth = made || !isEquality ? Verdict.unknown : less;
  const column = names.numberOf(slot);
  return ({ kinds, width, numbers, numberWidth }, { length }, verdicts) => {
    // Nothing branches on the outcome, which nobody could foresee.
    let others = 0;
    for (let i = 0, at = column; i < length; i++, at += numberWidth) {
      const value = numbers[at]!;
      const isLess = Number(value < literal);
      const isEqual = Number(value === literal);
      const isGreater = Number(value > literal);
      verdicts[i] = (isLess & less) | (isEqual & equal) | (isGreater & greater);
      others |= 1 ^ (isLess | isEqual | isGreater);
    }
    for (let i = 0, at = column; others > 0 && i < length; i++, at += numberWidth) {
      if (Number.isNaN(numbers[at]!)) {
        const kind = kinds[i * width + slot]!;
        if (kind === FieldKind.number || kind === FieldKind.string) verdicts[i] = Verdict.unknown;
        else if (kind === FieldKind.true || kind === FieldKind.false) verdicts[i] = truth;
        else verdicts[i] = kind >= FieldKind.object ? nested : bare;
      }
    }
  };
}

/** The constant that a node is, when a double is all of it. */
function numeral(node: Node): number | undefined {
  if (node.type === "unary" && node.operator !== "not") {
    const of = node.of.type === "number" ? numeral(node.of) : undefined;
    if (of === undefined) return undefined;
    const signed = node.operator === "-" ? negate(of) : of;
    return typeof signed === "number" ? signed : undefined;
  }
  if (node.type !== "number") return undefined;
  const value = readNumberText(node.text.replace(/\.(?=e|$)/, ""));
  return typeof value === "number" ? value : undefined;
}
