import { METHODS } from "../dates/methods.ts";
import { Moment } from "../dates/moment.ts";
import { expressionErrors } from "../errors.ts";
import { FUNCTIONS } from "../functions/index.ts";
import { toText } from "../functions/types.ts";
import { negate } from "../number/arithmetic.ts";
import { numberFromText, readNumberText } from "../number/text.ts";
import type { Node } from "../syntax/tree.ts";
import { Interval, isList, isNumber, type Value } from "../value.ts";
import { member, slice } from "./access.ts";
import { type BulkTest, bulkTest } from "./bulk.ts";
import { chainOf, type Fields } from "./fields.ts";
import type { Code, Frame } from "./frame.ts";
import { elementsOf, LOOPS } from "./loops.ts";
import { namingTexts } from "./misfit.ts";
import { OPERATORS, unsupported } from "./operators.ts";
import { fieldWriter, objectWriter, valueWriter, type Writer } from "./writer.ts";

export interface Compilation {
  readonly source: string;
  readonly fields: Fields;
  /** Values that stand beside the payload, by name, e.g. the state of an aggregate. */
  readonly given: ReadonlySet<string>;
}

/** Makes closures of a tree. Throws `config` errors for functions that do not exist and wrong numbers of inputs. */
export function compile(node: Node, to: Compilation): Code {
  return new Compiler(to).code(node);
}

/** The same with a writer, for expressions whose value goes out as JSON. */
export function compileWriter(node: Node, to: Compilation): { code: Code; writer: Writer } {
  const compiler = new Compiler(to);
  const code = compiler.code(node);
  return { code, writer: compiler.writer(node, code) };
}

/** The same with a test for whole batches, where there is one that needs no closures. */
export function compileTest(node: Node, to: Compilation): { code: Code; bulk: BulkTest | undefined } {
  const compiler = new Compiler(to);
  return { code: compiler.code(node), bulk: bulkTest(node, compiler) };
}

/** Names that are no fields of the payload. */
const OWN_NAMES = new Set(["#", "$", "$root", "meta"]);
const COMPARISONS = new Set(["==", "!=", "<", ">", "<=", ">="]);

class Compiler {
  private readonly to: Compilation;
  /** Names that assignments have made so far. */
  private readonly locals = new Set<string>();

  constructor(to: Compilation) {
    this.to = to;
  }

  code(node: Node): Code {
    switch (node.type) {
      case "literal": {
        const { value } = node;
        return () => value;
      }
      case "number": {
        const value = readNumberText(node.text.replace(/\.(?=e|$)/, ""));
        return () => value;
      }
      case "name":
      case "member":
        return this.reading(node);
      case "slice": {
        const [of, from, to] = [this.code(node.of), node.from && this.code(node.from), node.to && this.code(node.to)];
        return (frame) => slice(of(frame), from?.(frame), to?.(frame));
      }
      case "unary":
        return this.unary(node.operator, this.code(node.of));
      case "binary":
        return this.binary(node);
      case "choice": {
        const [when, then, other] = [this.code(node.when), this.code(node.then), this.code(node.other)];
        return (frame) => (truth(when(frame)) ? then(frame) : other(frame));
      }
      case "list": {
        const items = node.items.map((item) => this.code(item));
        return (frame) => items.map((item) => item(frame));
      }
      case "object":
        return this.object(node.members);
      case "interval": {
        const [from, to, { closed }] = [this.code(node.from), this.code(node.to), node];
        return (frame) => interval(from(frame), to(frame), closed);
      }
      case "template": {
        const parts = node.parts.map((part) => (typeof part === "string" ? part : this.code(part)));
        return (frame) => parts.map((part) => (typeof part === "string" ? part : toText(part(frame)))).join("");
      }
      case "call":
        return this.call(node.name, node.inputs, node.at);
      case "method":
        return this.method(node.name, this.code(node.of), node.inputs, node.at);
      case "block":
        return this.block(node.sets, node.result);
    }
  }

  /** Writes the value of a node that `code` computes. */
  writer(node: Node, code: Code): Writer {
    const slot = this.slotOf(node);
    if (slot !== undefined) return fieldWriter(slot);
    if (node.type !== "object") return valueWriter(code);
    const keys = node.members.map(([key]) =>
      key.type === "literal" && typeof key.value === "string" ? key.value : undefined,
    );
    if (keys.includes(undefined) || new Set(keys).size < keys.length) return valueWriter(code);
    return objectWriter(node.members.map(([, value], at) => [keys[at]!, this.writer(value, this.code(value))]));
  }

  /** A name or a member: of the payload, the metadata, an element, or any other value. */
  private reading(node: Node): Code {
    const slot = this.slotOf(node);
    if (slot !== undefined) return (frame) => frame.source.field(slot);
    const chain = chainOf(node);
    if (chain?.name !== "meta" || this.locals.has("meta")) return this.member(node);
    if (typeof chain.path[0] === "string") this.to.fields.meta.add(chain.path[0]);
    return metadata(chain.path);
  }

  /** The slot of the payload's field that a node reads; undefined when it reads something else. */
  slotOf(node: Node): number | undefined {
    const chain = chainOf(node);
    if (!chain || OWN_NAMES.has(chain.name) || this.locals.has(chain.name) || this.to.given.has(chain.name))
      return undefined;
    return this.to.fields.slot([chain.name, ...chain.path]);
  }

  /** Has the values of a slot read as numbers; their place among those that are. */
  numberOf(slot: number): number {
    return this.to.fields.number(slot);
  }

  private member(node: Node): Code {
    if (node.type === "member") {
      const [of, key] = [this.code(node.of), this.code(node.key)];
      return (frame) => member(of(frame), key(frame));
    }
    const name = node.type === "name" ? node.name : "";
    if (name === "#") return (frame) => frame.elements.at(-1) ?? null;
    if (name === "$root") {
      this.to.fields.whole = true;
      return (frame) => frame.source.root();
    }
    return (frame) => frame.locals.get(name) ?? null;
  }

  private unary(operator: string, of: Code): Code {
    if (operator === "not") {
      return (frame) => {
        const value = of(frame);
        if (typeof value === "boolean") return !value;
        throw unsupported("Not");
      };
    }
    const sign = operator === "-" ? negate : (value: Parameters<typeof negate>[0]): Value => value;
    return (frame) => {
      const value = of(frame);
      if (isNumber(value)) return sign(value);
      throw unsupported("Negate");
    };
  }

  private binary({ operator, left, right }: Extract<Node, { type: "binary" }>): Code {
    if (operator === "==" || operator === "!=") {
      const test = this.textTest(left, right) ?? this.textTest(right, left);
      if (test) return operator === "==" ? test : (frame) => !test(frame);
    }
    const [a, b] = [this.code(left), this.code(right)];
    if (operator === "and") return (frame) => (truth(a(frame)) ? b(frame) : false);
    if (operator === "or") return (frame) => (truth(a(frame)) ? true : b(frame));
    if (operator === "??") return (frame) => a(frame) ?? b(frame);
    if (operator === "in" || operator === "not in") {
      const contains = OPERATORS[operator]!;
      return (frame) => {
        const value = a(frame);
        const container = b(frame);
        if (isList(container)) frame.step(container.length);
        return contains(value, container);
      };
    }
    // Metadata, CSV fields and many columns are text: a numeric literal says that the other side is meant as a number.
    const compares = COMPARISONS.has(operator);
    const [leftRead, rightRead] = [isReading(left) && isNumeral(right), isReading(right) && isNumeral(left)];
    const asNumbers = compares && (leftRead || rightRead);
    const compute = namingTexts(OPERATORS[operator]!, { operator, left, right, asNumbers });
    if (compares && leftRead) return (frame) => compute(asNumber(a(frame)), b(frame));
    if (compares && rightRead) return (frame) => compute(a(frame), asNumber(b(frame)));
    return (frame) => compute(a(frame), b(frame));
  }

  /** A field of the payload compared with a text: the commonest test. */
  private textTest(field: Node, text: Node): ((frame: Frame) => boolean) | undefined {
    if (text.type !== "literal" || typeof text.value !== "string") return undefined;
    const slot = this.slotOf(field);
    const quoted = Buffer.from(JSON.stringify(text.value));
    if (slot === undefined || quoted.includes(0x5c)) return undefined;
    const { value } = text;
    return (frame) => frame.source.isText(slot, value, quoted);
  }

  private object(members: readonly (readonly [Node, Node])[]): Code {
    const pairs = members.map(([key, value]) => [this.code(key), this.code(value)] as const);
    return (frame) => {
      const values = pairs.map(([key, value]) => [toText(key(frame)), value(frame)] as const);
      // In reverse, as the original writes it; of one key written twice the first counts.
      return new Map(values.reverse());
    };
  }

  private call(name: string, inputs: readonly Node[], at: number): Code {
    if (Object.hasOwn(LOOPS, name)) {
      if (inputs.length !== 2) throw this.fault(at, `${name} takes 2 inputs, not ${inputs.length}`);
      const [list, inside] = [this.code(inputs[0]!), this.code(inputs[1]!)];
      const loop = LOOPS[name]!;
      return (frame) => loop(elementsOf(list(frame), frame), inside, frame);
    }
    const found = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name]! : undefined;
    if (!found) throw this.fault(at, `there is no function "${name}"`);
    this.checkCount(name, found.inputs, inputs.length, at);
    const codes = inputs.map((input) => this.code(input));
    const constants = inputs.map((input) => (input.type === "literal" ? input.value : undefined));
    const call = found.prepare ? this.prepared(() => found.prepare!(constants), at) : found.call;
    const whole: Code = (frame) => {
      const values = codes.map((code) => code(frame));
      for (const value of values) if (isList(value)) frame.step(value.length);
      return call(values, frame);
    };
    const slot = name === "number" ? this.slotOf(inputs[0]!) : undefined;
    if (slot === undefined) return whole;
    this.numberOf(slot);
    return (frame) => frame.source.plainNumber(slot) ?? whole(frame);
  }

  private method(name: string, of: Code, inputs: readonly Node[], at: number): Code {
    const found = Object.hasOwn(METHODS, name) ? METHODS[name]! : undefined;
    if (!found) throw this.fault(at, `there is no method "${name}"`);
    this.checkCount(name, found.inputs, inputs.length, at);
    const codes = inputs.map((input) => this.code(input));
    return (frame) => {
      const value = of(frame);
      if (!(value instanceof Moment)) throw unsupported(name);
      return found.call(
        value,
        codes.map((code) => code(frame)),
      );
    };
  }

  private block(sets: readonly (readonly [string, Node])[], result: Node | undefined): Code {
    const steps = sets.map(([name, node]) => {
      const code = this.code(node);
      this.locals.add(name);
      return [name, code] as const;
    });
    const end = result && this.code(result);
    return (frame) => {
      for (const [name, code] of steps) frame.locals.set(name, code(frame));
      return end ? end(frame) : new Map(steps.map(([name]) => [name, frame.locals.get(name) ?? null]));
    };
  }

  private checkCount(name: string, [least, most]: readonly [number, number], count: number, at: number): void {
    if (count >= least && count <= most) return;
    const takes = least === most ? String(least) : `${least} to ${most}`;
    throw this.fault(at, `${name} takes ${takes} input${takes === "1" ? "" : "s"}, not ${count}`);
  }

  /** What a constant input makes impossible is a fault of the expression. */
  private prepared<T>(prepare: () => T, at: number): T {
    try {
      return prepare();
    } catch (error) {
      throw this.fault(at, (error as Error).message);
    }
  }

  private fault(at: number, reason: string): Error {
    return expressionErrors.SYNTAX({ source: this.to.source, at, reason });
  }
}

function metadata(path: readonly (string | number)[]): Code {
  const [key, ...rest] = path;
  if (key === undefined) return (frame) => frame.source.wholeMeta();
  if (rest.length > 0 || typeof key === "number") return () => null;
  return (frame) => frame.source.meta(key);
}

function truth(value: Value): boolean {
  if (typeof value === "boolean") return value;
  throw unsupported("JumpIfFalse");
}

function interval(from: Value, to: Value, closed: readonly [boolean, boolean]): Value {
  if (isNumber(from) && isNumber(to)) return new Interval(from, to, closed);
  if (from instanceof Moment && to instanceof Moment) return new Interval(from.epoch, to.epoch, closed, true);
  throw unsupported("Interval");
}

function isNumeral(node: Node): boolean {
  return node.type === "number" || (node.type === "unary" && node.operator !== "not" && node.of.type === "number");
}

function isReading(node: Node): boolean {
  return chainOf(node) !== undefined;
}

/** A text that names a number, as that number; anything else as it is. */
function asNumber(value: Value): Value {
  return typeof value === "string" ? (numberFromText(value) ?? value) : value;
}
