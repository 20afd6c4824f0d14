import { deepEqual, ok } from "node:assert/strict";
import type { Message } from "@mqb/core/plugin";

/** Fails unless both hold the same messages: payload bytes, id and metadata. */
export function sameMessages(actual: readonly Message[], expected: readonly Message[]): void {
  deepEqual(
    actual.map((message) => message.text()),
    expected.map((message) => message.text()),
  );
  actual.forEach((message, i) => {
    ok(Buffer.compare(message.payload, expected[i]!.payload) === 0, `the payload of message ${i} has other bytes`);
  });
  deepEqual(
    actual.map((message) => message.id),
    expected.map((message) => message.id),
  );
  deepEqual(
    actual.map((message) => [...message.metadata]),
    expected.map((message) => [...message.metadata]),
  );
}
