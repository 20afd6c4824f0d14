import type { Message, Outcome } from "@mqb/core/plugin";
import { eventually } from "../wait/eventually.ts";
import type { ConnectorLab } from "./lab.ts";

export interface Exchange {
  /** One per message sent. */
  readonly outcomes: readonly Outcome[];
  /** What has arrived, at least as many messages as the sink has taken. */
  readonly received: readonly Message[];
}

/** Sends messages through the sink and receives what it takes. A live source reads while they are sent. */
export async function exchange(lab: ConnectorLab, sent: readonly Message[]): Promise<Exchange> {
  const { live } = lab.tested.fixture;
  if (!live || lab.place.read) {
    const outcomes = await sendAndFlush(lab, sent);
    const taken = count(outcomes);
    return { outcomes, received: taken > 0 ? await lab.arrived(taken) : [] };
  }
  const reader = lab.reader();
  await reader.open();
  const received: Message[] = [];
  const stop = new AbortController();
  const reading = reader.readInto(received, stop.signal);
  try {
    const outcomes = await sendAndFlush(lab, sent);
    await eventually(() => received.length >= count(outcomes), "the messages to arrive", lab.patienceMs);
    return { outcomes, received };
  } finally {
    stop.abort();
    await lab.soon(reading, "the end of an aborted receive");
    await reader.close();
  }
}

async function sendAndFlush(lab: ConnectorLab, sent: readonly Message[]): Promise<readonly Outcome[]> {
  const publisher = await lab.publisher();
  const outcomes = await lab.send(publisher, sent);
  await publisher.flush?.();
  await lab.soon(publisher.close(), "closing the sink");
  return outcomes;
}

function count(outcomes: readonly Outcome[]): number {
  return outcomes.filter((outcome) => outcome.type === "accepted" || outcome.type === "replied").length;
}
