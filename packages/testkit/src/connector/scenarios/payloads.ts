import { equal, ok } from "node:assert/strict";
import { codeOf, describeError, kindOf, type Message } from "@mqb/core/plugin";
import { exchange } from "../exchange.ts";
import type { ConnectorLab } from "../lab.ts";
import { holds, input, output, ownPayloads, unless } from "../left-out.ts";
import type { ConnectorScenario, Holds } from "../types.ts";

const MEBIBYTE = 1024 * 1024;

const CASES: readonly { readonly name: string; readonly needs?: keyof Holds; readonly payload: Uint8Array }[] = [
  { name: "an empty payload", needs: "empty", payload: new Uint8Array(0) },
  { name: "every byte value", needs: "bytes", payload: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)) },
  { name: "ill-formed UTF-8", needs: "bytes", payload: Buffer.from([0xff, 0xfe, 0x41, 0xc0, 0xaf, 0xed, 0xa0, 0x80]) },
  {
    name: "line breaks, quotes and separators",
    needs: "oddCharacters",
    payload: Buffer.from('a\nb\r\nc\r"d",\'e\';\tf\\n\\ \u2028 {"g":1}\n'),
  },
  {
    name: "NUL and control characters",
    needs: "oddCharacters",
    payload: Buffer.from("\u0000a\u0001\u001b[0m\u007f\u0000"),
  },
  { name: "text beyond ASCII", payload: Buffer.from("\ufeffgrüße, 日本語, 🚀, e\u0301") },
  { name: "spaces at both ends", payload: Buffer.from("  text  ") },
  { name: "a mebibyte", needs: "large", payload: Buffer.alloc(MEBIBYTE, "0123456789abcdef") },
];

/** Payloads are compared byte for byte. What a sink cannot hold it must refuse; it must not change it. */
export const payloads: readonly ConnectorScenario[] = CASES.map(({ name, needs, payload }) => ({
  name: `${name} arrives unchanged or is refused`,
  leftOut: unless(output, ownPayloads, ...(needs ? [holds(needs)] : [])),
  run: (lab) => arrivesOrIsRefused(lab, payload),
}));

export const manyMessages: ConnectorScenario = {
  name: "ten thousand small messages arrive, each at least once and unchanged",
  leftOut: unless(input),
  async run(lab) {
    const count = 10_000;
    const sent = lab.messages(count);
    const { reader, sent: sending } = await lab.begin(sent);
    const seen = new Map<number, Message>();
    await reader.readUntil((message) => {
      seen.set(lab.number(message), message);
      return seen.size === count;
    });
    await sending;
    for (const [n, message] of seen) {
      ok(sent[n], `a message ${n} was never sent`);
      if (!lab.tested.fixture.message)
        equal(Buffer.compare(message.payload, sent[n].payload), 0, `message ${n} is changed`);
    }
  },
};

async function arrivesOrIsRefused(lab: ConnectorLab, payload: Uint8Array): Promise<void> {
  const { outcomes, received } = await exchange(lab, [
    lab.message(0),
    lab.message(1).with({ payload }),
    lab.message(2),
  ]);
  equal(outcomes[0]!.type !== "failed" && outcomes[2]!.type !== "failed", true, "the other messages are taken");
  const [, outcome] = outcomes;
  if (outcome!.type === "failed") {
    equal(kindOf(outcome!.error, "retryable"), "permanent", `refused with ${describeError(outcome!.error)}`);
    ok(codeOf(outcome!.error), "a refusal has a code");
    return;
  }
  const expected = Buffer.from(payload);
  ok(
    received.some((message) => expected.equals(message.payload)),
    `no message arrived with the payload; these did: ${received.map((message) => shorten(message.text())).join(", ")}`,
  );
}

function shorten(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
