/**
 * What an error makes the route do.
 * - `retryable`: the message may go through later: `retry` sends it again, without `retry` it is nacked.
 * - `permanent`: this message never goes through: `dlq` takes it, else it is logged, counted and dropped. From a
 *   consumer: the route ends as failed.
 * - `connection`: the endpoint is out of reach: never dead-lettered, the route closes both ends and reconnects.
 * - `config`: the configuration is wrong: the route refuses to start and never reconnects.
 * - `end`: the source is finished for good (consumers only).
 */
export type ErrorKind = "retryable" | "permanent" | "connection" | "config" | "end";

const BRAND = Symbol.for("mqb.error");

export interface MqbErrorOptions {
  readonly cause?: unknown;
  /** What the reader can do about it, as a sentence. */
  readonly hint?: string;
  /** Retries were made and used up: a `dlq` takes it as permanent. */
  readonly exhausted?: boolean;
  /** How long the other side asked to wait before the next try. */
  readonly retryAfterMs?: number;
}

/** An error with a stable code and a kind. Recognised by its brand, so errors of another copy of core count too. */
export class MqbError extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  declare readonly hint?: string;
  declare readonly exhausted?: boolean;
  declare readonly retryAfterMs?: number;

  constructor(code: string, kind: ErrorKind, message: string, options: MqbErrorOptions = {}) {
    const { cause, ...more } = options;
    super(message, "cause" in options ? { cause } : undefined);
    this.name = "MqbError";
    this.code = code;
    this.kind = kind;
    Object.assign(this, more);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

export function isMqbError(value: unknown): value is MqbError {
  return typeof value === "object" && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
}

/**
 * The kind of anything thrown: that of the first mqb error in its chain of causes, else `fallback`. The kind survives
 * wrapping this way. A plain error with a boolean `retryable` member is retryable or permanent by it.
 */
export function kindOf(error: unknown, fallback: ErrorKind): ErrorKind {
  for (const link of chain(error)) {
    if (isMqbError(link)) return link.kind;
    const retryable = (link as { retryable?: unknown }).retryable;
    if (typeof retryable === "boolean") return retryable ? "retryable" : "permanent";
  }
  return fallback;
}

/** The code of the first mqb error in the chain of causes, if any. */
export function codeOf(error: unknown): string | undefined {
  return [...chain(error)].find(isMqbError)?.code;
}

/** Whether retries were used up somewhere in the chain of causes. */
export function isExhausted(error: unknown): boolean {
  return [...chain(error)].some((link) => isMqbError(link) && link.exhausted === true);
}

/** One line for people: the messages of the chain of causes, each said once. */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  for (const link of chain(error)) {
    const text = textOf(link);
    // Whoever reports an error of the system names the call's path itself.
    if (!parts.some((part) => part.includes(text.replace(/, \w+ '.*'$/, "")))) parts.push(text);
  }
  return parts.length > 0 ? parts.join(": ") : inspect(error);
}

function textOf(link: object | string): string {
  if (typeof link === "string") return link;
  const { message, name, errors } = link as Partial<AggregateError>;
  if (typeof message === "string" && message !== "") return message;
  // Node's failed connection to a name with several addresses: an error for each, and no text of its own.
  if (Array.isArray(errors) && errors.length > 0) return errors.map(describeError).join(", ");
  return link instanceof Error ? (name ?? "Error") : inspect(link);
}

/** Anything thrown as an Error, so that causes and stacks are there. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error || isMqbError(thrown) ? thrown : new Error(`thrown value: ${inspect(thrown)}`);
}

function* chain(error: unknown): Generator<object | string> {
  const seen = new Set<unknown>();
  let link = error;
  while (link !== undefined && link !== null && !seen.has(link)) {
    seen.add(link);
    if (typeof link !== "object" && typeof link !== "string") return;
    yield link;
    link = typeof link === "object" ? (link as { cause?: unknown }).cause : undefined;
  }
}

function inspect(value: unknown): string {
  try {
    return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
