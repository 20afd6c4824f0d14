import {
  type EndpointStatus,
  failed,
  kindOf,
  Message,
  type MessageBatch,
  type Metadata,
  type Outcome,
  type Publisher,
  replied,
} from "@mqb/core/plugin";
import type { Bound, PreparedLookup } from "../contract.ts";
import { errors } from "../errors.ts";
import type { ValueSource } from "../statement/parse.ts";
import type { PublisherSetup } from "./publisher.ts";
import { isTextThroughout } from "./rows.ts";
import { TokenValues } from "./token-values.ts";

const FOUND: Metadata = new Map([["sqlx.found", "true"]]);
const NOT_FOUND: Metadata = new Map([["sqlx.found", "false"]]);
const NOTHING = new Uint8Array(0);

/** Answers each message with the first row of a query. */
export class LookupPublisher implements Publisher {
  private readonly setup: Omit<PublisherSetup, "rows">;
  private readonly lookup: PreparedLookup;
  private readonly values: TokenValues;
  private closing: Promise<void> | undefined;

  constructor(lookup: PreparedLookup, sources: readonly ValueSource[], setup: Omit<PublisherSetup, "rows">) {
    this.setup = setup;
    this.lookup = lookup;
    this.values = new TokenValues(sources, lookup);
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.closing) throw errors.CLOSED({ target: this.setup.target });
    const outcomes = new Array<Outcome>(batch.length);
    const asked: number[] = [];
    const rows: Bound[][] = [];
    const isText = isTextThroughout(batch);
    for (let i = 0; i < batch.length; i++) {
      try {
        rows.push(this.values.of(batch, i, isText));
        asked.push(i);
      } catch (error) {
        outcomes[i] = failed(error);
      }
    }
    await this.ask(batch, asked, rows, outcomes, signal);
    return outcomes;
  }

  close(): Promise<void> {
    return (this.closing ??= this.setup.release());
  }

  status(): EndpointStatus {
    return { healthy: true, target: this.setup.target, details: this.setup.details };
  }

  /** One that is refused takes no answer away from the others. */
  private async ask(
    batch: MessageBatch,
    asked: readonly number[],
    rows: readonly Bound[][],
    outcomes: Outcome[],
    signal: AbortSignal,
  ): Promise<void> {
    if (asked.length === 0) return;
    try {
      const answers = await this.lookup.ask(rows, signal);
      for (const [n, position] of asked.entries()) {
        const answer = answers[n];
        const metadata = answer ? FOUND : NOT_FOUND;
        outcomes[position] = replied(new Message(answer ?? NOTHING, metadata, batch.id(position)));
      }
    } catch (error) {
      if (asked.length === 1 || kindOf(error, "retryable") !== "permanent") {
        for (const position of asked) outcomes[position] = failed(error);
        return;
      }
      for (const [n, position] of asked.entries()) await this.ask(batch, [position], [rows[n]!], outcomes, signal);
    }
  }
}
