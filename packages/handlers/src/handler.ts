import type { ConfigSchema, Handler, MaybePromise, Message, SchemaIssue } from "@mqb/core/plugin";
import { type Body, messageOf } from "./body.ts";
import { errors } from "./errors.ts";

// biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return has a promise of void
type Nothing = undefined | null | void;

/** What a command makes of a message: what is published or answered, or nothing when it is done with. */
export type CommandResult = Body | Nothing;

export interface TypedOptions {
  /** Payload to value, before the schema sees it [JSON, by `JSON.parse`]. A throw fails the message for good. */
  readonly parse?: (message: Message) => unknown;
}

/**
 * A handler that makes at most one message of each: it is published, or answers the sender. What is no `Message` yet
 * becomes one with the id and the metadata of the message that it came of. With a schema (any Standard Schema: zod, valibot,
 * arktype, …) the function gets the payload as a value of its type; what does not fit is refused for good.
 */
export function command(handle: (message: Message) => MaybePromise<CommandResult>): Handler;
export function command<Value>(
  schema: ConfigSchema<Value>,
  handle: (value: Value, message: Message) => MaybePromise<CommandResult>,
  options?: TypedOptions,
): Handler;
export function command(...given: readonly unknown[]): Handler {
  const handle = functionOf<CommandResult>(given);
  const finish = (result: CommandResult, message: Message): Message | undefined =>
    result === undefined || result === null ? undefined : messageOf(result, "a command handler", message);
  return (message) => then(handle(message), (result) => finish(result, message));
}

/** A handler that only looks at messages: each is acknowledged when it is done, and nothing is published. */
export function event(handle: (message: Message) => unknown): Handler;
export function event<Value>(
  schema: ConfigSchema<Value>,
  handle: (value: Value, message: Message) => unknown,
  options?: TypedOptions,
): Handler;
export function event(...given: readonly unknown[]): Handler {
  const handle = functionOf<unknown>(given);
  return (message) => then(handle(message), () => undefined);
}

function functionOf<Result>(given: readonly unknown[]): (message: Message) => MaybePromise<Result> {
  const [first, handle, options] = given;
  if (typeof first === "function" && handle === undefined) return first as (message: Message) => MaybePromise<Result>;
  const schema = first as Partial<ConfigSchema> | null | undefined;
  if (typeof handle === "function" && typeof schema?.["~standard"]?.validate === "function") {
    const typed = handle as (value: unknown, message: Message) => MaybePromise<Result>;
    return withValue(schema as ConfigSchema, typed, options as TypedOptions | undefined);
  }
  throw new TypeError("a handler is made of a function, or of a Standard Schema and a function");
}

/** The function with the payload as a value that fits the schema. */
function withValue<Value, Result>(
  schema: ConfigSchema<Value>,
  handle: (value: Value, message: Message) => MaybePromise<Result>,
  { parse = parseJson }: TypedOptions = {},
): (message: Message) => MaybePromise<Result> {
  const { validate } = schema["~standard"];
  return (message) =>
    then(validate(parse(message)), (checked) => {
      if (checked.issues) throw errors.INVALID({ id: message.id, issues: checked.issues.map(issueText) });
      return handle(checked.value, message);
    });
}

function parseJson(message: Message): unknown {
  try {
    return message.json();
  } catch (cause) {
    throw errors.NOT_JSON({ id: message.id, reason: (cause as Error).message });
  }
}

function issueText({ path = [], message }: SchemaIssue): string {
  const steps = path.map((step) => String(typeof step === "object" ? step.key : step));
  return steps.length > 0 ? `${steps.join(".")}: ${message}` : message;
}

/** Goes on with a result; at once when it is no promise, so that a handler that does not wait makes none. */
function then<A, B>(result: MaybePromise<A>, go: (value: A) => MaybePromise<B>): MaybePromise<B> {
  return isThenable(result) ? result.then(go) : go(result);
}

function isThenable<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
