import { isMqbError, type Matches, type MessageBatch, type Predicate } from "@mqb/core/plugin";
import { FieldKind } from "@mqb/json";
import { type BulkTest, Verdict } from "./compile/bulk.ts";
import { compileTest } from "./compile/compile.ts";
import { Fields, shownPath } from "./compile/fields.ts";
import { type Code, Frame } from "./compile/frame.ts";
import { expressionErrors } from "./errors.ts";
import { MessageSource } from "./message-source.ts";
import { parseExpression } from "./syntax/parser.ts";
import { isList, isObject, typeName } from "./value.ts";

/**
 * Compiles a test of messages. A field that is absent is null. Where the expression cannot be computed because a field
 * that it reads is absent, null, a list or an object, the message does not match; where it cannot for another reason,
 * gives no boolean, or the payload is no JSON object, the message has failed. Throws `config` errors.
 */
export function compilePredicate(source: string): Predicate {
  const fields = new Fields();
  const tree = parseExpression(source);
  if (tree.type === "block" && !tree.result) throw expressionErrors.NO_TEST({ source });
  const { code, bulk } = compileTest(tree, { source, fields, given: new Set() });
  const indexed = fields.paths.find((path) => path.some((step) => typeof step === "number"));
  if (indexed) throw expressionErrors.INDEXED({ source, path: shownPath(indexed) });
  return new Test(code, bulk, fields);
}

/** The values do not fit: not that too much was to be computed, or that the payload cannot be read. */
function isOfValues(error: unknown): boolean {
  return isMqbError(error) && error.code === expressionErrors.EVALUATION.code;
}

class Test implements Predicate {
  private readonly code: Code;
  private readonly bulk: BulkTest | undefined;
  private readonly fields: Fields;
  private readonly slots: number;
  private readonly source: MessageSource;
  private readonly frame: Frame;
  private verdicts = new Uint8Array(0);

  constructor(code: Code, bulk: BulkTest | undefined, fields: Fields) {
    this.code = code;
    this.bulk = bulk;
    this.fields = fields;
    this.slots = fields.paths.length;
    this.source = new MessageSource(fields);
    this.frame = new Frame(this.source);
  }

  test(batch: MessageBatch): Matches {
    const { source, bulk } = this;
    const { length } = batch;
    const matched = new Uint32Array(length);
    const failed: { index: number; error: unknown }[] = [];
    let count = 0;
    source.begin(batch);
    if (this.verdicts.length < length) this.verdicts = new Uint8Array(length);
    const { verdicts } = this;
    if (bulk) bulk(source.found, batch, verdicts);
    if (bulk && source.areObjects) {
      // The usual case, without a branch on what nobody could foresee.
      let all = 0;
      for (let index = 0; index < length; index++) {
        const verdict = verdicts[index]!;
        all |= verdict;
        matched[count] = index;
        count += verdict & Verdict.yes;
      }
      if (all <= Verdict.yes) return { matched: matched.subarray(0, count) };
      count = 0;
    }
    for (let index = 0; index < length; index++) {
      const verdict = bulk && source.isObject(index) ? verdicts[index] : Verdict.unknown;
      if (verdict === Verdict.yes) matched[count++] = index;
      if (verdict !== Verdict.unknown) continue;
      try {
        if (this.matches(index)) matched[count++] = index;
      } catch (error) {
        failed.push({ index, error });
      }
    }
    const positions = matched.subarray(0, count);
    return failed.length > 0 ? { matched: positions, failed } : { matched: positions };
  }

  absent(batch: MessageBatch, index: number): readonly string[] {
    const { fields, source } = this;
    const metadata = batch.metadata(index);
    const keys = [...fields.meta].filter((key) => !metadata.has(key)).map((key) => `meta.${key}`);
    source.begin(batch);
    // A payload that is no object is what `test` tells of, and it has no field.
    if (!source.isObject(index)) return keys;
    source.turnTo(index);
    return [...fields.paths.filter((_, slot) => source.kind(slot) === FieldKind.absent).map(shownPath), ...keys];
  }

  private matches(index: number): boolean {
    this.source.turnTo(index);
    this.frame.reset();
    try {
      const value = this.code(this.frame);
      if (typeof value === "boolean") return value;
      // The field itself is what was asked for, and it is none.
      if (value === null || isList(value) || isObject(value)) return false;
      throw expressionErrors.NOT_A_BOOLEAN({ type: typeName(value) });
    } catch (error) {
      if (isOfValues(error) && this.lacksScalar()) return false;
      throw error;
    }
  }

  /** A field that the expression reads is absent, null, a list or an object. */
  private lacksScalar(): boolean {
    for (let slot = 0; slot < this.slots; slot++) {
      const kind = this.source.kind(slot);
      const scalar =
        kind === FieldKind.number || kind === FieldKind.string || kind === FieldKind.true || kind === FieldKind.false;
      if (!scalar) return true;
    }
    return false;
  }
}
