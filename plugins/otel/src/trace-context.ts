import type { Metadata } from "@mqb/core/plugin";
import type { SpanContext, TraceState } from "@opentelemetry/api";

/** The metadata keys of the W3C Trace Context. */
export const TRACEPARENT = "traceparent";
export const TRACESTATE = "tracestate";

/** Version 00 ends behind the flags; a later one may go on. */
const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);
/** More than any vendor needs. */
const MAX_STATE = 8192;

/** The span that a message comes from; undefined when it says nothing usable. `state` reads a `tracestate`. */
export function readContext(metadata: Metadata, state: (text: string) => TraceState): SpanContext | undefined {
  const text = metadata.get(TRACEPARENT);
  const parts = text === undefined ? null : PARENT.exec(text.trim());
  if (!parts) return undefined;
  const [, version, traceId, spanId, flags, more] = parts as unknown as readonly string[];
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN) return undefined;
  const written = metadata.get(TRACESTATE);
  return {
    traceId: traceId!,
    spanId: spanId!,
    traceFlags: Number.parseInt(flags!, 16),
    isRemote: true,
    ...(written !== undefined && written.length <= MAX_STATE ? { traceState: state(written) } : {}),
  };
}

/** The same metadata, which point at this span from now on. */
export function withContext(metadata: Metadata, { traceId, spanId, traceFlags, traceState }: SpanContext): Metadata {
  const changed = new Map(metadata);
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0");
  changed.set(TRACEPARENT, `00-${traceId}-${spanId}-${flags}`);
  const state = traceState?.serialize();
  if (state) changed.set(TRACESTATE, state);
  else changed.delete(TRACESTATE);
  return changed;
}
