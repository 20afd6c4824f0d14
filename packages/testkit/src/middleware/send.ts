import { equal } from "node:assert/strict";
import { ACCEPTED, type MessageBatch, type Outcome } from "@mqb/core/plugin";
import type { OutputLab } from "./types.ts";

/** Sends through the middleware. One outcome per message, `undefined` spelled out. */
export async function send(lab: OutputLab, batch: MessageBatch): Promise<readonly Outcome[]> {
  return outcomesOf(batch, await lab.settled(lab.publisher.send(batch, new AbortController().signal)));
}

export function outcomesOf(batch: MessageBatch, outcomes: readonly Outcome[] | undefined): readonly Outcome[] {
  if (outcomes) equal(outcomes.length, batch.length, "there must be one outcome per message");
  return outcomes ?? Array.from({ length: batch.length }, () => ACCEPTED);
}
