import { deepEqual, equal, ok } from "node:assert/strict";
import { describeError, kindOf } from "@mqb/core/plugin";
import { exchange } from "../exchange.ts";
import type { ConnectorLab } from "../lab.ts";
import { holds, output, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

const PLAIN: readonly (readonly [string, string])[] = [
  ["region", "north"],
  ["trace_id", "4bf92f3577b34da6a3ce929d0e0e4736"],
  ["x-retries", "3"],
  ["note", "two words, and a = sign; 100%"],
];

const ODD: readonly { readonly name: string; readonly pair: readonly [string, string] }[] = [
  { name: "an empty value", pair: ["empty", ""] },
  { name: "a value beyond ASCII", pair: ["city", "Zürich 東京 🚀"] },
  { name: "a value with line breaks", pair: ["lines", "a\r\nset-cookie: b\nc"] },
  { name: "a value of 2000 characters", pair: ["long", "v".repeat(2000)] },
  { name: "a key like a property of objects", pair: ["__proto__", "polluted"] },
  { name: "a key beyond ASCII", pair: ["größe", "7"] },
];

export const metadata: readonly ConnectorScenario[] = [
  {
    name: "metadata arrives with its message",
    leftOut: unless(output, holds("metadata")),
    async run(lab) {
      const sent = [lab.message(0), lab.message(1).with({ metadata: PLAIN }), lab.message(2)];
      const { received } = await exchange(lab, sent);
      for (const message of received) {
        const found = PLAIN.map(([key]) => [key, message.metadata.get(key)]);
        const expected = lab.number(message) === 1 ? PLAIN : PLAIN.map(([key]) => [key, undefined]);
        deepEqual(found, expected, `the metadata of message ${lab.number(message)}`);
      }
    },
  },
  ...ODD.map(
    ({ name, pair }): ConnectorScenario => ({
      name: `metadata with ${name} arrives unchanged or is refused`,
      leftOut: unless(output, holds("metadata"), holds("oddMetadata")),
      run: (lab) => unchangedOrRefused(lab, pair),
    }),
  ),
];

async function unchangedOrRefused(lab: ConnectorLab, [key, value]: readonly [string, string]): Promise<void> {
  const { outcomes, received } = await exchange(lab, [
    lab.message(0),
    lab.message(1).with({ metadata: [[key, value]] }),
  ]);
  const [, outcome] = outcomes;
  if (outcome!.type === "failed") {
    equal(kindOf(outcome!.error, "retryable"), "permanent", `refused with ${describeError(outcome!.error)}`);
    return;
  }
  const message = received.find((one) => lab.number(one) === 1);
  ok(message, "the message did not arrive");
  equal(message.metadata.get(key), value);
}
