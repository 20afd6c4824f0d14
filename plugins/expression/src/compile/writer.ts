import type { ByteSink } from "@mqb/core/plugin";
import { FieldKind } from "@mqb/json";
import type { MessageSource } from "../message-source.ts";
import { isPlainText } from "../number/bytes.ts";
import { toJson, type Value } from "../value.ts";
import type { Code, Frame } from "./frame.ts";
import { numberScratch, writeNumber } from "./write-number.ts";

/**
 * Appends the value of a node as JSON, without making it first. What it has appended when it throws, or finds that it
 * cannot, is the caller's to take back, who asks the closures then: they compute in the order in which it is written.
 */
export type Writer = (frame: Frame, source: MessageSource, into: ByteSink) => boolean;

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Any value, computed by closures. */
export function valueWriter(code: Code): Writer {
  const digits = numberScratch();
  return (frame, _, into) => {
    writeValue(code(frame), into, digits);
    return true;
  };
}

/** A field of the payload: copied where it is written as it would be written. */
export function fieldWriter(slot: number): Writer {
  const digits = numberScratch();
  return (_, source, into) => {
    const { bytes, starts, ends, base, kinds } = source.found;
    const start = starts[base + slot]!;
    const end = ends[base + slot]!;
    switch (kinds[base + slot]) {
      case FieldKind.string:
        if (!source.isReadable || (!source.isPlain && hasEscape(bytes, start, end)))
          writeValue(source.field(slot), into, digits);
        else into.copy(bytes, start, end);
        return true;
      case FieldKind.number:
        if (isPlainText(bytes, start, end)) into.copy(bytes, start, end);
        else writeValue(source.field(slot), into, digits);
        return true;
      case FieldKind.absent:
        into.ascii("null");
        return true;
      default:
        if (kinds[base + slot]! >= FieldKind.object) writeValue(source.field(slot), into, digits);
        else into.copy(bytes, start, end);
        return true;
    }
  };
}

/** An object with constant keys, each of them once, in reverse, as the original writes it. */
export function objectWriter(members: readonly (readonly [key: string, value: Writer])[]): Writer {
  const parts = members
    .toReversed()
    .map(([key, value], at) => ({ label: Buffer.from(`${at > 0 ? "," : ""}${JSON.stringify(key)}:`), value }));
  return (frame, source, into) => {
    into.byte(OPEN);
    for (let i = 0; i < parts.length; i++) {
      const { label, value } = parts[i]!;
      into.constant(label);
      if (!value(frame, source, into)) return false;
    }
    into.byte(CLOSE);
    return true;
  };
}

export function writeValue(value: Value, into: ByteSink, digits: Uint8Array): void {
  if (typeof value === "number") writeNumber(value, into, digits);
  else if (typeof value === "string") into.put(Buffer.from(JSON.stringify(value)));
  else into.put(Buffer.from(toJson(value)));
}

function hasEscape(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}
