import type { ByteSink, MessageBatch } from "@mqb/core/plugin";
import { type BatchFields, compileBatchFields, FieldKind } from "@mqb/json";
import type { SchemaNode } from "./node.ts";
import { isInteger, isPlainInteger, plainNumberEnd } from "./number-text.ts";

const ZERO = 48;
const NINE = 57;
const POWERS = Float64Array.from({ length: 15 }, (_, exponent) => 10 ** exponent);

/** What the usual object asks of a schema: each named field is kept as it is, or loses the quotes around its number. */
export class FlatSchema {
  private readonly found: BatchFields;
  /** By field: its place among those that are read as numbers, or -1. */
  private readonly columns: Int32Array;
  private readonly nodes: readonly (SchemaNode | undefined)[];
  /** By field: a bit for each kind of value that stays as it is, whatever it is. */
  private readonly kept: Uint32Array;
  private readonly expected: readonly number[];
  private readonly coerce: boolean;
  /** The fields as they follow each other in the documents. */
  private readonly order: Uint32Array;
  /** Where the value ends that is to be written without its quotes, by field; 0 = it stays as it is. */
  private readonly bare: Uint32Array;

  private constructor(
    keys: readonly string[],
    nodes: readonly (SchemaNode | undefined)[],
    expected: readonly number[],
    options: { readonly coerce: boolean; readonly emptyAsNull: boolean },
  ) {
    const numbers = [...keys.keys()].filter((field) => isNumeric(nodes[field]));
    this.found = compileBatchFields(
      keys.map((key) => [key]),
      { numbers: options.coerce ? numbers : [] },
    );
    this.columns = Int32Array.from(keys.keys(), (field) => (options.coerce ? numbers.indexOf(field) : -1));
    this.nodes = nodes;
    this.kept = Uint32Array.from(keys.keys(), (field) => kindsKept(nodes[field], options.emptyAsNull));
    this.expected = expected;
    this.coerce = options.coerce;
    this.order = Uint32Array.from(keys.keys());
    this.bare = new Uint32Array(keys.length);
  }

  /** Undefined for schemas that say nothing of the fields of objects. */
  static of(
    { type, enum: listed, content, members }: SchemaNode,
    options: { readonly coerce: boolean; readonly emptyAsNull: boolean },
  ): FlatSchema | undefined {
    if (!members || (type !== undefined && type !== "object") || listed || content) return undefined;
    return new FlatSchema(members.texts, members.nodes, members.expected, options);
  }

  begin(batch: MessageBatch): void {
    this.found.begin(batch);
  }

  /**
   * Appends the document of a message that lies in `bytes[start .. end)`; false when there is more to do than that, and
   * nothing is written then.
   */
  apply(index: number, bytes: Uint8Array, start: number, end: number, out: ByteSink): boolean {
    const { found, expected, order, bare, nodes, kept } = this;
    if (found.root(index) !== FieldKind.object || !found.isTight(index)) return false;
    const base = index * found.width;
    const { kinds, starts, ends, numbers, numberWidth } = found;
    for (let i = 0; i < expected.length; i++) if (kinds[base + expected[i]!] === FieldKind.absent) return false;
    let last = 0;
    for (let i = 0; i < order.length; i++) {
      const field = order[i]!;
      const at = base + field;
      const kind = kinds[at]!;
      bare[i] = 0;
      if (kind === FieldKind.absent) continue;
      if (starts[at]! < last) {
        this.sort(base);
        return this.apply(index, bytes, start, end, out);
      }
      last = starts[at]!;
      if ((kept[field]! >>> kind) & 1) continue;
      const node = nodes[field]!;
      if (this.stays(node, kind, bytes, last, ends[at]!)) continue;
      const column = this.columns[field]!;
      const isPlain =
        column >= 0 &&
        kind === FieldKind.string &&
        isWrittenPlainly(node, numbers[index * numberWidth + column]!, bytes, last + 1, ends[at]! - 1);
      const close = isPlain ? ends[at]! - 1 : this.bareEnd(node, kind, bytes, last, ends[at]!);
      if (close < 0) return false;
      bare[i] = close;
    }
    let from = start;
    for (let i = 0; i < order.length; i++) {
      if (bare[i] === 0) continue;
      const at = base + order[i]!;
      out.copy(bytes, from, starts[at]!);
      out.copy(bytes, starts[at]! + 1, bare[i]!);
      from = ends[at]!;
    }
    out.copy(bytes, from, end);
    return true;
  }

  /** Whether a value of another kind fits as it is written. False also where it takes more than a look. */
  private stays(
    { type, enum: listed, content }: SchemaNode,
    kind: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): boolean {
    if (listed || content) return false;
    if (kind === FieldKind.string) return (type === undefined || type === "string") && end - start > 2;
    return kind === FieldKind.number && type === "integer" && isInteger(bytes, start, end);
  }

  /** Where the number ends in a string that is to be one; -1 for everything else. */
  private bareEnd(
    { type, enum: listed }: SchemaNode,
    kind: number,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): number {
    if (kind !== FieldKind.string || !this.coerce || listed) return -1;
    if (type === "integer") return isPlainInteger(bytes, start + 1, end - 1) ? end - 1 : -1;
    return type === "number" ? plainNumberEnd(bytes, start + 1, end - 1) : -1;
  }

  /** Puts the fields into the order of a document; those that it lacks come last. */
  private sort(base: number): void {
    const { kinds, starts } = this.found;
    const place = (field: number): number =>
      kinds[base + field] === FieldKind.absent ? Number.POSITIVE_INFINITY : starts[base + field]!;
    this.order.sort((a, b) => place(a) - place(b) || a - b);
  }
}

function isNumeric(node: SchemaNode | undefined): boolean {
  return (node?.type === "integer" || node?.type === "number") && !node.enum;
}

/** Whether the text of a `number`, NaN if it is none, is what JSON would write. False also where it takes more than a look. */
function isWrittenPlainly(
  { type }: SchemaNode,
  number: number,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  const first = bytes[start]!;
  if (!(number > 0) || first <= ZERO || first > NINE) return false;
  // With that many digits there is no point among them.
  if (type === "integer") return number >= POWERS[end - start - 1]! && Number.isInteger(number);
  return bytes[end - 1] !== ZERO;
}

/** A bit for each kind of value that stays as it is, whatever it is. */
function kindsKept(node: SchemaNode | undefined, emptyAsNull: boolean): number {
  if (!node) return -1;
  const { type, nullable, enum: listed, members, items, content } = node;
  if (listed || content) return 0;
  const kept: readonly [kind: number, isKept: boolean][] = [
    [FieldKind.string, (type === undefined || type === "string") && !emptyAsNull],
    [FieldKind.number, type === undefined || type === "number"],
    [FieldKind.null, nullable],
    [FieldKind.object, !members && (type === undefined || type === "object")],
    [FieldKind.array, !items && (type === undefined || type === "array")],
    [FieldKind.true, type === undefined || type === "boolean"],
    [FieldKind.false, type === undefined || type === "boolean"],
  ];
  return kept.reduce((bits, [kind, isKept]) => (isKept ? bits | (1 << kind) : bits), 0);
}
