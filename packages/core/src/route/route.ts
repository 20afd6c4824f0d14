import { type BridgeScope, type OpenScope, openConsumer, openPublisher } from "../bridge/open.ts";
import type { RoutePlan } from "../config/check-route.ts";
import { sleep } from "../contract/clock.ts";
import type { Consumer, EndpointStatus, Publisher } from "../contract/endpoint.ts";
import { coreErrors } from "../errors/errors.ts";
import { describeError, kindOf } from "../errors/mqb-error.ts";
import { Accounting, type AccountingSnapshot } from "./accounting.ts";
import { Backoff } from "./backoff.ts";
import { type DropCount, Drops } from "./drops.ts";
import type { Handler } from "./handler.ts";
import { Pump, type PumpEnd } from "./pump.ts";

export type RouteState =
  | "idle"
  | "connecting"
  | "running"
  | "reconnecting"
  | "stopping"
  | "completed"
  | "stopped"
  | "failed";

/** How a route ended. */
export interface RouteResult {
  readonly outcome: "completed" | "stopped" | "failed";
  /** Why it failed, or what ended it early. */
  readonly error?: unknown;
  readonly accounting: AccountingSnapshot;
  readonly drops: readonly DropCount[];
}

export interface RouteStatus {
  readonly name: string;
  readonly state: RouteState;
  readonly healthy: boolean;
  /** The last connection error while reconnecting, the cause of a failure, or the last cause of a dropped message. */
  readonly error?: string;
  readonly guarantee: string;
  readonly guaranteeReason: string;
  readonly accounting: AccountingSnapshot;
  readonly drops: readonly DropCount[];
  readonly reconnects: number;
  readonly startedAt?: number;
  readonly inFlight: { readonly batches: number; readonly bytes: number };
  readonly input?: EndpointStatus;
  readonly output?: EndpointStatus;
}

export interface RouteRunOptions {
  readonly handler?: Handler;
  /** Ends the route after this many delivered messages, exactly. */
  readonly limit?: number;
  /**
   * What `start` does when an endpoint cannot be reached within `startup_timeout_ms`: `fail` ends the route, `keep`
   * lets it go on connecting in the background. Default `fail`. A configuration error fails in both.
   */
  readonly unreachable?: "fail" | "keep";
}

export interface StopOptions {
  /** How long what is in flight may take to finish before it is given up and returned to the source. Default 5000. */
  readonly graceMs?: number;
}

const MAX_DRAIN_RECONNECTS = 10;
const CLOSE_LIMIT_MS = 2000;
const DEFAULT_GRACE_MS = 5000;

/** A route that can be run once: start, then it ends by itself or by `stop`. Made by `Bridge.route`. */
export class Route {
  readonly name: string;
  readonly plan: RoutePlan;
  /** Resolves when the route has ended and both endpoints are closed. Never rejects. */
  readonly done: Promise<RouteResult>;

  private readonly bridge: BridgeScope;
  private readonly run: RouteRunOptions;
  private readonly accounting = new Accounting();
  private readonly drops: Drops;
  private readonly sessions = new Map<string, Map<string, unknown>>();
  private readonly stopping = new AbortController();
  private readonly cutOff = new AbortController();
  private readonly backoff: Backoff;
  private readonly drainIdleMs: number;
  private readonly finishRoute: (result: RouteResult) => void;
  private state: RouteState = "idle";
  private pump: Pump | undefined;
  private consumer: Consumer | undefined;
  private publisher: Publisher | undefined;
  private reconnects = 0;
  private startedAt: number | undefined;
  private lastError: unknown;
  private graceMs = DEFAULT_GRACE_MS;

  constructor(plan: RoutePlan, run: RouteRunOptions, bridge: BridgeScope, drainIdleMs: number) {
    this.name = plan.name;
    this.plan = plan;
    this.run = run;
    this.bridge = bridge;
    this.drainIdleMs = drainIdleMs;
    this.drops = new Drops(bridge.log);
    this.backoff = new Backoff(plan.options.reconnectIntervalMs);
    let finish: (result: RouteResult) => void = () => {};
    this.done = new Promise((resolve) => {
      finish = resolve;
    });
    this.finishRoute = finish;
  }

  /**
   * Opens both endpoints and begins to move messages. Resolves `running` when both are connected (or have ended
   * already), `connecting` when they are not in time and the route keeps trying. Rejects with the real cause, and ends the
   * route, on a `config` error at once and on an unreachable endpoint after `startup_timeout_ms`.
   */
  async start(): Promise<"running" | "connecting"> {
    if (this.state !== "idle") throw coreErrors.ALREADY_STARTED({ route: this.name });
    this.state = "connecting";
    this.startedAt = this.bridge.clock.now();
    const { guarantee } = this.plan;
    this.bridge.log.info(`route ${this.name}: ${guarantee.level} (${guarantee.reason})`);
    const connected = new Promise<unknown>((resolve) => {
      void this.live(resolve);
    });
    const error = await connected;
    if (error === undefined) return "running";
    if (error === STILL_CONNECTING) return "connecting";
    await this.done;
    throw error;
  }

  /** Stops reading, finishes what is in flight, flushes, commits, closes. Resolves when the route has ended. Idempotent. */
  async stop(options: StopOptions = {}): Promise<RouteResult> {
    if (options.graceMs !== undefined) this.graceMs = options.graceMs;
    if (this.state === "idle") this.conclude("stopped", undefined);
    if (!this.stopping.signal.aborted) {
      this.stopping.abort();
      if (!this.hasEnded()) this.state = "stopping";
      this.pump?.stop();
      const cancel = this.bridge.clock.timer(this.graceMs, () => this.cut());
      void this.done.then(cancel);
    }
    return await this.done;
  }

  status(): RouteStatus {
    const drops = this.drops.list();
    const error = this.lastError ?? (drops.length > 0 ? drops.at(-1)!.cause : undefined);
    const input = this.consumer?.status?.();
    const output = this.publisher?.status?.();
    return {
      name: this.name,
      state: this.state,
      healthy:
        (this.state === "running" ||
          this.state === "completed" ||
          this.state === "stopping" ||
          this.state === "stopped") &&
        (input?.healthy ?? true) &&
        (output?.healthy ?? true),
      ...(error === undefined ? {} : { error: describeError(error) }),
      guarantee: this.plan.guarantee.level,
      guaranteeReason: this.plan.guarantee.reason,
      accounting: this.accounting.snapshot(),
      drops,
      reconnects: this.reconnects,
      ...(this.startedAt === undefined ? {} : { startedAt: this.startedAt }),
      inFlight: this.pump?.load ?? { batches: 0, bytes: 0 },
      ...(input ? { input } : {}),
      ...(output ? { output } : {}),
    };
  }

  /** The whole life: connect, pump, close, again after connection errors, until something final. */
  private async live(connected: (error?: unknown) => void): Promise<void> {
    const { options } = this.plan;
    const deadline = this.bridge.clock.monotonic() + options.startupTimeoutMs;
    let started = false;
    while (!this.stopping.signal.aborted) {
      const end = await this.once(started ? undefined : deadline, () => {
        started = true;
        connected();
      });
      if (end.reason !== "connection") {
        this.concludeWith(end, connected);
        return;
      }
      this.lastError = end.error;
      const verdict = this.afterConnectionError(end.error, started, deadline);
      if (verdict !== undefined) {
        this.conclude("failed", verdict);
        connected(verdict);
        return;
      }
      if (!started && this.bridge.clock.monotonic() >= deadline) {
        started = true;
        connected(STILL_CONNECTING);
      }
      if (started) this.reconnects += 1;
      const pause = started
        ? this.backoff.next()
        : Math.min(this.backoff.next(), 250, deadline - this.bridge.clock.monotonic());
      if (!this.stopping.signal.aborted) this.state = started ? "reconnecting" : "connecting";
      this.bridge.log.warn(`route ${this.name}: ${describeError(end.error)}; next try in ${Math.round(pause)} ms`);
      await sleep(this.bridge.clock, Math.max(0, pause), this.stopping.signal);
    }
    this.conclude("stopped", undefined);
    connected(started ? undefined : coreErrors.STOPPED({ route: this.name }));
  }

  /** One connection: opens both ends, pumps, closes both. */
  private async once(deadline: number | undefined, opened: () => void): Promise<PumpEnd> {
    let end: PumpEnd;
    try {
      await this.open(deadline);
      if (!this.stopping.signal.aborted) this.state = "running";
      opened();
      this.pump = this.makePump();
      if (this.stopping.signal.aborted) this.pump.stop();
      const before = this.delivered();
      end = await this.orCutOff(this.pump.run());
      // A connection that moved something was a good one: the next failure starts with the short pause again.
      if (this.delivered() > before) this.backoff.reset();
      if (end.reason !== "connection" && end.reason !== "failed") await this.publisher!.flush?.();
    } catch (error) {
      const kind = kindOf(error, "connection");
      end = this.stopping.signal.aborted
        ? { reason: "stopped" }
        : kind === "end"
          ? { reason: "end", error, side: "input" }
          : { reason: kind === "config" || kind === "permanent" ? "failed" : "connection", error, side: "output" };
    }
    await this.close();
    // What was in flight at a cut-off or a broken end is delivered again by the source.
    this.accounting.settle("nacked", this.accounting.get("inFlight"));
    return end;
  }

  private async open(deadline: number | undefined): Promise<void> {
    const opening = new AbortController();
    const give = (): void => opening.abort(coreErrors.STOPPED({ route: this.name }));
    this.stopping.signal.addEventListener("abort", give, { once: true });
    let waitingFor = "the output";
    const ms =
      deadline === undefined
        ? this.plan.options.startupTimeoutMs
        : Math.max(1, deadline - this.bridge.clock.monotonic());
    const timeout = (): void =>
      opening.abort(
        coreErrors.START_TIMEOUT(
          { route: this.name, ms: this.plan.options.startupTimeoutMs, waitingFor },
          this.lastError === undefined ? {} : { cause: this.lastError },
        ),
      );
    const cancel = this.bridge.clock.timer(ms, timeout);
    const scope = this.openScope(opening.signal);
    try {
      // The output first: nothing is read before there is a place to put it.
      this.publisher = await orAborted(openPublisher(this.plan.output, scope), opening.signal);
      waitingFor = "the input";
      this.consumer = await orAborted(
        openConsumer(this.plan.input, scope, this.plan.input.middlewares.length > 0),
        opening.signal,
      );
    } finally {
      cancel();
      this.stopping.signal.removeEventListener("abort", give);
    }
  }

  private openScope(signal: AbortSignal): OpenScope {
    const { options } = this.plan;
    return {
      bridge: this.bridge,
      route: this.name,
      signal,
      draining: options.exitOnEmpty,
      allowFaultInjection: options.allowFaultInjection,
      accounting: this.accounting,
      sessions: this.sessions,
    };
  }

  private makePump(): Pump {
    const { options, input, output } = this.plan;
    return new Pump(this.consumer!, this.publisher!, {
      route: this.name,
      concurrency: options.concurrency,
      batchSize: options.batchSizeGiven ? options.batchSize : (output.output!.defaultBatchSize ?? options.batchSize),
      commitLimit: options.commitConcurrencyLimit,
      maxInFlightBytes: options.maxInFlightBytes,
      emptyDelayMs: options.emptyBatchDelayMs,
      draining: options.exitOnEmpty,
      bounded: input.input!.bounded,
      drainIdleMs: this.drainIdleMs,
      commitsInOrder: input.input!.commitsInOrder,
      orderedPublish: output.output!.orderedPublish,
      handler: this.run.handler,
      remaining: () => (this.run.limit === undefined ? Number.POSITIVE_INFINITY : this.run.limit - this.delivered()),
      countsReceived: input.middlewares.length === 0,
      sinkName: output.type,
      clock: this.bridge.clock,
      accounting: this.accounting,
      drops: this.drops,
    });
  }

  /** The error to end the route with, or undefined to try again. */
  private afterConnectionError(error: unknown, started: boolean, deadline: number): unknown {
    if (this.stopping.signal.aborted) return undefined;
    if (this.plan.options.exitOnEmpty) {
      if (this.delivered() === 0 && this.accounting.get("deadLettered") === 0) return error;
      if (this.reconnects >= MAX_DRAIN_RECONNECTS) {
        return coreErrors.DRAIN_GAVE_UP({ route: this.name, reconnects: this.reconnects }, { cause: error });
      }
      return undefined;
    }
    if (started || this.run.unreachable === "keep") return undefined;
    return this.bridge.clock.monotonic() >= deadline ? error : undefined;
  }

  private concludeWith(end: PumpEnd, connected: (error?: unknown) => void): void {
    if (end.reason === "failed") {
      this.conclude("failed", end.error);
      connected(end.error);
      return;
    }
    this.lastError = undefined;
    this.conclude(end.reason === "stopped" ? "stopped" : "completed", end.reason === "end" ? end.error : undefined);
    connected();
  }

  private conclude(outcome: RouteResult["outcome"], error: unknown): void {
    if (this.hasEnded()) return;
    this.state = outcome;
    if (outcome === "failed") {
      this.lastError = error;
      this.bridge.log.error(`route ${this.name} failed: ${describeError(error)}`);
    }
    this.finishRoute({
      outcome,
      ...(error === undefined ? {} : { error }),
      accounting: this.accounting.snapshot(),
      drops: this.drops.list(),
    });
  }

  private hasEnded(): boolean {
    return this.state === "completed" || this.state === "stopped" || this.state === "failed";
  }

  private delivered(): number {
    return this.accounting.get("delivered") + this.accounting.get("replied");
  }

  /** The grace period is over: give up what is in flight. */
  private cut(): void {
    const error = coreErrors.GRACE_OVER({ route: this.name, ms: this.graceMs });
    this.bridge.log.warn(error.message);
    this.pump?.abort(error);
    this.cutOff.abort(error);
  }

  /** Waits for the pump; after a cut-off only a moment longer, so that a stuck sink cannot hold the process. */
  private async orCutOff(running: Promise<PumpEnd>): Promise<PumpEnd> {
    const { signal } = this.cutOff;
    let listener: (() => void) | undefined;
    const cut = new Promise<PumpEnd>((resolve) => {
      listener = () => void sleep(this.bridge.clock, 250).then(() => resolve({ reason: "stopped" }));
      if (signal.aborted) listener();
      else signal.addEventListener("abort", listener, { once: true });
    });
    try {
      return await Promise.race([running, cut]);
    } finally {
      if (listener) signal.removeEventListener("abort", listener);
    }
  }

  private async close(): Promise<void> {
    const { consumer, publisher } = this;
    this.consumer = undefined;
    this.publisher = undefined;
    this.pump = undefined;
    for (const [what, end] of [
      ["input", consumer],
      ["output", publisher],
    ] as const) {
      if (!end) continue;
      try {
        const closed = await Promise.race([
          end.close().then(() => true),
          sleep(this.bridge.clock, CLOSE_LIMIT_MS).then(() => false),
        ]);
        if (!closed) this.bridge.log.warn(`route ${this.name}: the ${what} did not close within ${CLOSE_LIMIT_MS} ms`);
      } catch (error) {
        this.bridge.log.warn(`route ${this.name}: closing the ${what} failed: ${describeError(error)}`);
      }
    }
  }
}

const STILL_CONNECTING = Symbol("still connecting");

/** The opened endpoint, or the abort's reason; an endpoint that opens too late is closed again. */
async function orAborted<T extends { close(): Promise<void> }>(opening: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    void opening.then((late) => late.close()).catch(() => {});
    throw signal.reason;
  }
  let listener: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    listener = () => reject(signal.reason);
    signal.addEventListener("abort", listener, { once: true });
  });
  try {
    return await Promise.race([opening, aborted]);
  } catch (error) {
    if (signal.aborted) void opening.then((late) => late.close()).catch(() => {});
    throw error;
  } finally {
    if (listener) signal.removeEventListener("abort", listener);
  }
}
