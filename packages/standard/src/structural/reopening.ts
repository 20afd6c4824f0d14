import {
  type Clock,
  describeError,
  type EndpointStatus,
  kindOf,
  type Logger,
  type MessageBatch,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";

/** The least time between two tries to open again what could not be opened. */
const PAUSE_MS = 1_000;

export interface ReopeningSetup {
  /** Opens it; the path is for errors and the log. */
  readonly open: () => Promise<Publisher>;
  readonly path: string;
  readonly route: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A publisher in use, and by how many calls. */
interface Held {
  readonly publisher: Publisher;
  users: number;
  lost: boolean;
}

/**
 * For an owner that keeps connection errors to itself, so that the route does not reconnect: opens the publisher again with
 * the next `send` after its connection was lost. While that fails, so does every `send`.
 */
export class Reopening implements Publisher {
  private readonly setup: ReopeningSetup;
  private held: Held | undefined;
  private opening: Promise<Held> | undefined;
  private refused: { readonly error: unknown; readonly at: number } | undefined;
  private closed = false;

  /** Without a `first` one it is opened with the first `send`. */
  constructor(setup: ReopeningSetup, first?: Publisher) {
    this.setup = setup;
    if (first) this.held = { publisher: first, users: 0, lost: false };
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    const held = this.held ?? (await this.reopen());
    held.users++;
    try {
      const outcomes = await held.publisher.send(batch, signal);
      if (outcomes?.some((one) => one.type === "failed" && isCut(one.error))) this.lose(held);
      return outcomes;
    } catch (error) {
      if (isCut(error)) this.lose(held);
      throw error;
    } finally {
      held.users--;
      this.release(held);
    }
  }

  async flush(): Promise<void> {
    await this.held?.publisher.flush?.();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.opening?.catch(() => {});
    await this.held?.publisher.close();
  }

  status(): EndpointStatus {
    if (this.held) return this.held.publisher.status?.() ?? { healthy: true, target: "" };
    const error = this.refused ? describeError(this.refused.error) : "not connected";
    return { healthy: false, target: this.setup.path, error };
  }

  private reopen(): Promise<Held> {
    const { clock, path, route, log } = this.setup;
    if (this.closed) return Promise.reject(errors.REOPEN_CLOSED({ path }));
    if (this.refused && clock.monotonic() - this.refused.at < PAUSE_MS) return Promise.reject(this.refused.error);
    this.opening ??= this.setup.open().then(
      (publisher) => {
        this.opening = undefined;
        this.refused = undefined;
        this.held = { publisher, users: 0, lost: false };
        return this.held;
      },
      (error: unknown) => {
        this.opening = undefined;
        if (!this.refused) log.warn(`${path} cannot be opened: ${describeError(error)}`, { route });
        this.refused = { error, at: clock.monotonic() };
        throw error;
      },
    );
    return this.opening;
  }

  private lose(held: Held): void {
    held.lost = true;
    if (this.held === held) this.held = undefined;
  }

  /** Closes what is lost when nobody waits for it any longer. */
  private release(held: Held): void {
    if (!held.lost || held.users > 0) return;
    held.publisher.close().catch((error: unknown) => {
      const { log, path, route } = this.setup;
      log.debug(`${path} could not be closed: ${describeError(error)}`, { route });
    });
  }
}

function isCut(error: unknown): boolean {
  return kindOf(error, "retryable") === "connection";
}
