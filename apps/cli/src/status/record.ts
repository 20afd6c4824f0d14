/**
 * What one process tells others of the same user about itself. The layout is that of mq-bridge, version 1, so that either
 * program lists the processes of both.
 */
export interface InstanceRecord {
  readonly schema_version: number;
  readonly instance_id: string;
  readonly pid: number;
  readonly kind: string;
  readonly application_version: string;
  readonly started_at_ms: number;
  readonly last_seen_at_ms: number;
  readonly workspace_id: string;
  readonly workspace_label: string;
  readonly consumers: readonly EntityRecord[];
  readonly publishers: readonly EntityRecord[];
  readonly routes: readonly RouteRecord[];
}

export interface EntityRecord {
  readonly id: string;
  readonly label: string;
  /** The kind of endpoint, never its configuration. */
  readonly endpoint: string;
  readonly summary: Summary;
}

export interface RouteRecord {
  readonly id: string;
  readonly label: string;
  readonly input: EntityRecord;
  readonly output: EntityRecord;
  readonly summary: Summary;
}

export interface Summary {
  readonly running: boolean;
  readonly healthy: boolean;
  readonly pending: number | null;
  readonly capacity: number | null;
  /** The word `error`, unless both sides were started with MQB_STATUS_SHOW_ERRORS=1. */
  readonly error: string | null;
  /** Messages per second, lately and since the start. */
  readonly throughput: number;
  readonly average_throughput?: number;
  readonly message_sequence: number;
  readonly started_at_ms?: number | null;
  /** `completed`, `stopped` or `failed` for what has ended. */
  readonly outcome?: string | null;
}

export const SCHEMA_VERSION = 1;
export const HEARTBEAT_MS = 2000;
/** A record that was not renewed for so long is that of a process which is gone. */
export const EXPIRES_MS = 7000;
export const MAX_RECORD_BYTES = 256 * 1024;

const MAX_TEXT = 256;

/** A label without control characters; hidden as a whole when it looks like a URL or a secret. */
export function safeLabel(text: string): string {
  if (/:\/\/|@|password|secret|token/i.test(text)) return "redacted";
  return [...text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "")].slice(0, MAX_TEXT).join("");
}

export function safeEndpoint(text: string): string {
  const name = text.trim().toLowerCase();
  return /^[a-z0-9_-]{1,64}$/.test(name) ? name : "unknown";
}

/** A record as read from a file of somebody else; undefined when it is none of this version. */
export function readRecord(text: string): InstanceRecord | "other version" | undefined {
  try {
    const record = JSON.parse(text) as InstanceRecord;
    if (typeof record !== "object" || record === null || typeof record.schema_version !== "number") return undefined;
    if (record.schema_version !== SCHEMA_VERSION) return "other version";
    const times = [record.started_at_ms, record.last_seen_at_ms, record.pid];
    if (typeof record.instance_id !== "string" || !times.every(Number.isFinite)) return undefined;
    return {
      ...record,
      consumers: listOf(record.consumers),
      publishers: listOf(record.publishers),
      routes: listOf(record.routes),
    };
  } catch {
    return undefined;
  }
}

export function isFresh({ last_seen_at_ms: seen }: InstanceRecord, now: number): boolean {
  return seen <= now + 60_000 && now - seen <= EXPIRES_MS;
}

function listOf<T extends { readonly summary?: unknown }>(value: readonly T[] | undefined): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (one) => typeof one === "object" && one !== null && typeof one.summary === "object" && one.summary,
  );
}
