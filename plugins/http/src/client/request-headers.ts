import type { MessageBatch, Metadata } from "@mqb/core/plugin";
import type { DroppedHeaders } from "../wire/dropped-headers.ts";
import {
  encodeValue,
  FRAMING,
  isHeaderName,
  METHOD,
  PATH,
  QUERY,
  SOURCE_PREFIX,
  STATUS,
  TRAILER_PREFIX,
  VERSION,
} from "../wire/headers.ts";

/** What is not the business of the server that is asked, or would change how the request is read. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...FRAMING,
  METHOD,
  PATH,
  QUERY,
  VERSION,
  STATUS,
  "accept-encoding",
  "content-encoding",
  "host",
]);

export interface HeaderSettings {
  /** Of every request; names in lower case. They win over metadata. */
  readonly fixed: readonly (readonly [string, string])[];
  readonly idempotencyHeader: string | undefined;
}

/** Makes the headers of requests: names and values in turn. */
export class RequestHeaders {
  private readonly fixed: readonly string[];
  private readonly names: ReadonlySet<string>;
  private readonly idempotencyHeader: string | undefined;
  private readonly dropped: DroppedHeaders;

  constructor({ fixed, idempotencyHeader }: HeaderSettings, dropped: DroppedHeaders) {
    this.fixed = fixed.flat();
    this.names = new Set(fixed.map(([name]) => name.toLowerCase()));
    this.idempotencyHeader = idempotencyHeader;
    this.dropped = dropped;
  }

  of(batch: MessageBatch, index: number, more: readonly (readonly [string, string])[]): string[] {
    const metadata = batch.metadata(index);
    const { idempotencyHeader } = this;
    if (metadata.size === 0 && idempotencyHeader === undefined && more.length === 0) return this.fixed as string[];
    const headers = this.fixed.slice();
    this.addMetadata(headers, metadata, more);
    if (idempotencyHeader !== undefined && !hasName(headers, idempotencyHeader)) {
      headers.push(idempotencyHeader, batch.id(index));
    }
    for (const [name, value] of more) headers.push(name, value);
    return headers;
  }

  private addMetadata(headers: string[], metadata: Metadata, more: readonly (readonly [string, string])[]): void {
    for (const [key, text] of metadata) {
      const name = key.toLowerCase();
      if (name.startsWith(SOURCE_PREFIX) || LEFT_OUT.has(name) || this.names.has(name)) continue;
      if (more.some(([given]) => given === name)) continue;
      const value = name.startsWith(TRAILER_PREFIX) || !isHeaderName(key) ? undefined : encodeValue(text);
      if (value === undefined) this.dropped.add(key);
      else headers.push(name, value);
    }
  }
}

/** `headers` = names and values in turn. */
function hasName(headers: readonly string[], name: string): boolean {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return true;
  return false;
}
