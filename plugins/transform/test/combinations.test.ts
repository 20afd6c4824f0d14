import { batchOf, Message, type Outcome } from "@mqb/core/plugin";
import { CollectingPublisher } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { never, publisherFor } from "./transforming.ts";

const schema = {
  type: "object",
  properties: { n: { type: "integer" }, tier: { type: "string", default: "free" } },
  required: ["n", "tier"],
};
const SENT = ['{"n":7,"tier":"pro"}', '{"n":"7","tier":"pro"}', '{"n":7}'];
const COERCED = '{"n":7,"tier":"pro"}';
const COMPLETED = '{"n":7,"tier":"free"}';
const WRONG_TYPE = "transform failed at $.n [type_mismatch]: expected integer, found string";
const MISSING = "transform failed at $.tier [missing_required]: required field is missing and apply_defaults is off";

const flags = [true, false];
const combinations = flags.flatMap((coerce) =>
  flags.flatMap((apply_defaults) =>
    (["reject", "pass_through"] as const).map((on_error) => ({ coerce, apply_defaults, on_error })),
  ),
);

describe("coerce, apply_defaults and on_error", () => {
  it.each(combinations)("coerce $coerce, apply_defaults $apply_defaults, on_error $on_error", async (combination) => {
    const { coerce, apply_defaults, on_error } = combination;
    const sink = new CollectingPublisher();
    const publisher = await publisherFor({ ...combination, schema }, sink);
    const outcomes = await publisher.send(batchOf(SENT.map((text) => new Message(text))), never);

    const reasons = [undefined, coerce ? undefined : WRONG_TYPE, apply_defaults ? undefined : MISSING];
    const payloads = [SENT[0], coerce ? COERCED : SENT[1], apply_defaults ? COMPLETED : SENT[2]];
    const isSent = (index: number): boolean => on_error === "pass_through" || reasons[index] === undefined;
    expect(sink.messages.map((message) => message.text())).toEqual(payloads.filter((_, index) => isSent(index)));
    expect(sink.messages.map(({ metadata }) => metadata.get("mqb.transform_error"))).toEqual(
      reasons.filter((_, index) => isSent(index)),
    );
    expect(SENT.map((_, index) => reasonOf(outcomes?.[index]))).toEqual(
      reasons.map((reason) => (on_error === "reject" ? reason : undefined)),
    );
  });
});

function reasonOf(outcome: Outcome | undefined): string | undefined {
  if (outcome?.type !== "failed") return undefined;
  expect(outcome.error).toMatchObject({ kind: "permanent", code: "MQB_TRANSFORM_FAILED" });
  return (outcome.error as Error).message;
}
