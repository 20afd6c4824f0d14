import { deepEqual, equal, ok } from "node:assert/strict";
import { codeOf, describeError, kindOf, type Message } from "@mqb/core/plugin";
import { exchange } from "../exchange.ts";
import type { ConnectorLab } from "../lab.ts";
import { holds, output, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

type Pair = readonly [key: string, value: string];

const NAMES: readonly string[] = [
  "Upper-Case",
  "two words",
  "with:colon",
  "with=equals",
  "line\r\nx-injected",
  "nul\u0000",
  "tab\tinside",
  "größe-日本",
  "",
  "constructor",
  "content-length",
  "transfer-encoding",
  "host",
  `long-${"k".repeat(300)}`,
];

const VALUES: readonly string[] = [
  "",
  "  spaces at both ends  ",
  "tab\tinside",
  "nul\u0000inside",
  "line\r\nx-injected: yes",
  "\r\n\r\nbody",
  "caf\u00e9",
  "日本 🚀 e\u0301",
  "half of a pair \ud83d",
  'a, b; c="d"',
  "true",
  "-0",
  "12345678901234567890",
  `long ${"v".repeat(8000)}`,
];

/**
 * Headers that a protocol can carry and such as it cannot: each arrives unchanged, is left out, or its message is
 * refused. None becomes another header, and none harms its neighbours.
 */
export const headerKinds: readonly ConnectorScenario[] = [
  {
    name: "metadata names of every kind arrive unchanged, are left out or are refused, and never become others",
    leftOut: unless(output, holds("metadata")),
    run: (lab) =>
      carries(
        lab,
        NAMES.map((name, i): Pair => [name, `value ${i}`]),
      ),
  },
  {
    name: "metadata values of every kind arrive unchanged, are left out or are refused, and never become others",
    leftOut: unless(output, holds("metadata")),
    run: (lab) =>
      carries(
        lab,
        VALUES.map((value, i): Pair => [`kind-${i}`, value]),
      ),
  },
];

async function carries(lab: ConnectorLab, pairs: readonly Pair[]): Promise<void> {
  const sent = pairs.map((pair, n) => lab.message(n).with({ metadata: [["neighbour", `of ${n}`], pair] }));
  const { outcomes, received } = await exchange(lab, sent);
  const arrived = new Map(received.map((message) => [lab.number(message), message]));
  for (const [n, pair] of pairs.entries()) {
    const what = `the metadata ${JSON.stringify(pair).slice(0, 60)}`;
    const outcome = outcomes[n]!;
    if (outcome.type === "failed") {
      equal(kindOf(outcome.error, "retryable"), "permanent", `${what} is refused with ${describeError(outcome.error)}`);
      ok(codeOf(outcome.error), `${what} is refused without a code`);
      continue;
    }
    const message = arrived.get(n);
    ok(message, `the message with ${what} was taken and did not arrive`);
    unharmed(lab, message, n, pair, what);
  }
}

function unharmed(lab: ConnectorLab, message: Message, n: number, [key, value]: Pair, what: string): void {
  const { metadataCase, metadataSpaces } = lab.tested.fixture.holds ?? {};
  const name = metadataCase === false ? key.toLowerCase() : key;
  // Half of a surrogate pair is no text: encoders write U+FFFD for it, and no other program can have meant it.
  const text = Buffer.from(value).toString();
  const expected = metadataSpaces === false ? text.trim() : text;
  const found = message.metadata.get(name);
  equal(message.metadata.get("neighbour"), `of ${n}`, `${what} has harmed its neighbour`);
  // A protocol has headers of its own that may bear the same name; they do not bear the value.
  if (found !== undefined && !OF_PROTOCOLS.has(key))
    equal(found === value ? text : found, expected, `${what} was changed`);
  const others = [...message.metadata].filter(
    ([one, text]) => one !== name && (one === "x-injected" || text === value),
  );
  if (value.length > 0) deepEqual(others, [], `${what} became something else`);
}

const OF_PROTOCOLS: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "host"]);
