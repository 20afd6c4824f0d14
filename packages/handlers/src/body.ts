import { idFromBigInt, idFromText, Message, type MessageId, type Metadata } from "@mqb/core/plugin";
import { errors } from "./errors.ts";

/** What code gives in the place of a message: the message, its payload as text or bytes, or a value to write as JSON. */
export type Body = Message | Uint8Array | string | number | boolean | object;

export interface JsonMessageOptions {
  /** Sets the metadata `kind`, by which `handlerByKind` picks. */
  readonly kind?: string;
  readonly metadata?: Metadata | Readonly<Record<string, string>>;
  /** [that of the value: its member `message_id`, else `id`, else `_id`; a fresh one where there is none] */
  readonly id?: MessageId;
}

/** A message with a value as JSON. The value is written as `JSON.stringify` writes it. */
export function jsonMessage(value: unknown, options: JsonMessageOptions = {}): Message {
  const { kind, metadata = [], id = idOf(value) } = options;
  const pairs = new Map(Symbol.iterator in metadata ? metadata : Object.entries(metadata));
  if (kind !== undefined) pairs.set("kind", kind);
  return new Message(jsonOf(value, "jsonMessage"), pairs, id);
}

/**
 * The message that a body stands for. A payload without a message takes id and metadata from `like`, the message that it
 * came of. `where` is for the error, of kind `permanent`, when no message can be made of it.
 */
export function messageOf(body: unknown, where: string, like?: Message): Message {
  if (isMessage(body)) return body;
  const payload =
    typeof body === "string" ? Buffer.from(body) : body instanceof Uint8Array ? body : jsonOf(body, where);
  return like ? like.with({ payload }) : new Message(payload);
}

/** Also true for a message of another copy of core. */
export function isMessage(value: unknown): value is Message {
  if (value instanceof Message) return true;
  const message = value as Partial<Message> | null | undefined;
  return message?.payload instanceof Uint8Array && typeof message.id === "string" && message.metadata instanceof Map;
}

function jsonOf(value: unknown, where: string): Buffer {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw errors.NO_MESSAGE({ what: describe(value), where }, { cause });
  }
  if (text === undefined) throw errors.NO_MESSAGE({ what: describe(value), where });
  return Buffer.from(text);
}

export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return value === undefined ? "nothing" : `a value of type ${typeof value}`;
}

function idOf(value: unknown): MessageId | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  for (const name of ["message_id", "id", "_id"]) {
    if (!Object.hasOwn(value, name)) continue;
    const given = (value as Readonly<Record<string, unknown>>)[name];
    if (typeof given === "string") return idFromText(given);
    if (typeof given === "number" && Number.isSafeInteger(given) && given >= 0) return idFromBigInt(BigInt(given));
    const oid = (given as { $oid?: unknown } | null | undefined)?.$oid;
    if (typeof oid === "string" && /^[0-9a-f]{24}$/i.test(oid)) return idFromBigInt(BigInt(`0x${oid}`));
    return undefined;
  }
  return undefined;
}
