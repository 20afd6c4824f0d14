import type { OutputCapabilities } from "@mqb/core/plugin";
import { CollectingPublisher, FakeClock, fakeContext } from "@mqb/testkit";
import standard from "../../src/index.ts";

export interface RequestOptions {
  readonly discards?: boolean;
  /** What `forward_to` does is an answer. */
  readonly answers?: boolean;
}

/** A request from one collecting sink to another. */
export async function setUp({ discards = false, answers = false }: RequestOptions = {}) {
  const to = new CollectingPublisher();
  const forward = new CollectingPublisher();
  const opened: string[] = [];
  /** What opening `to` fails with, for as long as it is set. */
  const down: { error?: unknown } = {};
  const clock = new FakeClock();
  const declared: OutputCapabilities = {
    acknowledges: true,
    replies: answers,
    orderedPublish: false,
    idempotent: false,
  };
  const context = fakeContext({
    clock,
    side: "output",
    path: "output",
    declared,
    async openPublisher(_, path) {
      opened.push(String(path));
      if (path === "forward_to") return forward;
      if (down.error !== undefined) throw down.error;
      return to;
    },
  });
  const open = async () =>
    standard.endpoints!["request"]!.output!.open({ to: {}, forward_to: discards ? null : { sink: {} } }, context);
  return { to, forward, opened, down, clock, context, open };
}
