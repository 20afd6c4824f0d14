import { errors } from "../errors.ts";

/** A position as it is stored: `int:5`, `uint:18446744073709551615`, `str:abc`. */
export interface Position {
  readonly kind: "int" | "str";
  readonly value: string;
}

interface Stored {
  readonly position: Position;
  readonly updatedAt?: number;
}

/** Reads what a store holds: our envelope, or a bare position of an older one. Throws `config` errors. */
export function readStored(text: string, id: string, source: string): Stored {
  if (!text.startsWith("{")) return { position: parsePosition(text, id) };
  let envelope: Readonly<Record<string, unknown>>;
  try {
    envelope = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw errors.CHECKPOINT_VALUE({ id, reason: "it is no JSON" }, { cause });
  }
  const { source: stored, value, updated_at_ms: at } = envelope;
  if (envelope["mqb_checkpoint"] !== 1 || typeof stored !== "string" || typeof value !== "string") {
    throw errors.CHECKPOINT_VALUE({ id, reason: "it is no checkpoint of mqb" });
  }
  if (stored !== source) throw errors.CHECKPOINT_OTHER({ id, stored, source });
  const position = parsePosition(value, id);
  return typeof at === "number" ? { position, updatedAt: at } : { position };
}

export function writeStored(position: Position, source: string, now: number): string {
  return JSON.stringify({ mqb_checkpoint: 1, source, value: formatPosition(position), updated_at_ms: now });
}

export function formatPosition({ kind, value }: Position): string {
  return `${kind}:${value}`;
}

export function parsePosition(text: string, id: string): Position {
  const [, kind, value] = /^(int|uint|str):(.*)$/s.exec(text) ?? [];
  const reason = `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}" is no position; it begins with int: or str:`;
  if (kind === undefined || value === undefined) throw errors.CHECKPOINT_VALUE({ id, reason });
  if (kind === "str") return { kind, value };
  if (!/^-?\d{1,20}$/.test(value)) throw errors.CHECKPOINT_VALUE({ id, reason });
  return { kind: "int", value: BigInt(value).toString() };
}
