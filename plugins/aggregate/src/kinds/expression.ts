import { type Computation, describeError, type ExpressionCompiler } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { Output } from "../output.ts";
import type { Reading } from "../reading.ts";
import type { Kind } from "./kind.ts";

/** A state of so many characters is one that grows with each message; it would fill the memory. */
const LARGEST = 1024 * 1024;

/** A state that nests deeper could be stored, and not read again. */
const DEEPEST = 500;

/** A state that an expression computes. Its values are the compiler's; null is a state too. */
export class ExpressionKind implements Kind {
  readonly timed = false;
  readonly late = false;
  reason = "";
  private readonly into: string;
  private readonly update: Computation;
  private readonly output: Computation | undefined;
  private readonly hidden: boolean;
  private readonly given: unknown[] = [null];

  /** `hidden`: messages do not carry the new state itself. Throws what the compiler throws. */
  constructor(
    expression: string,
    output: string | undefined,
    into: string,
    hidden: boolean,
    compiler: ExpressionCompiler,
  ) {
    this.into = into;
    this.hidden = hidden || output !== undefined;
    this.update = compiler.computation(expression, STATE);
    this.output = output === undefined ? undefined : compiler.computation(output, STATE);
  }

  fold(reading: Reading, before: unknown): unknown {
    const state = this.compute(this.update, reading, before ?? null);
    if (state === undefined || !this.hidden) return state;
    return this.bounded(this.update.write(state, true)) === undefined ? undefined : state;
  }

  show(reading: Reading, state: unknown, _time: number | undefined, out: Output): boolean {
    const shown = this.output ? this.compute(this.output, reading, state) : state;
    const text = shown === undefined ? undefined : this.bounded(this.update.write(shown));
    if (text === undefined) return false;
    out.text(text);
    return true;
  }

  load(json: Uint8Array): unknown {
    try {
      return this.update.read(json);
    } catch (cause) {
      throw errors.STATE({ into: this.into, reason: "it is not JSON that an expression can read" }, { cause });
    }
  }

  save(state: unknown): string {
    return this.update.write(state, true);
  }

  private compute(computation: Computation, { batch, index }: Reading, state: unknown): unknown {
    this.given[0] = state;
    try {
      return computation.compute(batch, index, this.given) ?? null;
    } catch (error) {
      return this.cannot(`the expression fails: ${describeError(error)}`);
    }
  }

  private bounded(text: string): string | undefined {
    if (text.length > LARGEST) return this.cannot("the state has grown too large");
    return text.length > DEEPEST && depthOf(text) > DEEPEST ? this.cannot("the state nests too deep") : text;
  }

  private cannot(reason: string): undefined {
    this.reason = reason;
    return undefined;
  }
}

const STATE = ["state"];

/** Levels of lists and objects in JSON. */
function depthOf(json: string): number {
  let [depth, deepest, inText] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (inText) {
      if (char === "\\") at++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === "[" || char === "{") deepest = Math.max(deepest, ++depth);
    else if (char === "]" || char === "}") depth--;
  }
  return deepest;
}
