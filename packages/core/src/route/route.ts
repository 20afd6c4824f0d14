import { endSessions } from "../bridge/close.ts";
import type { BridgeScope } from "../bridge/open.ts";
import type { RoutePlan } from "../config/check-route.ts";
import { sleep } from "../contract/clock.ts";
import { coreErrors } from "../errors/errors.ts";
import { describeError } from "../errors/mqb-error.ts";
import { Accounting } from "./accounting.ts";
import { createBackoff } from "./backoff.ts";
import { Connection, type ConnectionSettings, NOTHING } from "./connection.ts";
import { Drops } from "./drops.ts";
import type { Handler } from "./handler.ts";
import { endOf, type PumpEnd } from "./pump.ts";
import { type RouteResult, type RouteState, type RouteStatus, WELL } from "./status.ts";

export interface RouteRunOptions {
  readonly handler?: Handler;
  /** Ends the route after this many delivered messages, exactly. From 1. */
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
/** Bounds of the pauses between tries while `start` waits; within them they are the interval. */
const START_PAUSE_MS = { min: 10, max: 250 };
const DEFAULT_GRACE_MS = 5000;
/** How long opening again may take when `startup_timeout_ms` is 0, which is about the start alone. */
const REOPEN_MS = 5000;

type StartAnswer = "running" | "connecting" | { readonly error: unknown };

/** A route that can be run once: start, then it ends by itself or by `stop`. Made by `Bridge.route`. */
export class Route {
  readonly name: string;
  readonly plan: RoutePlan;
  /** Resolves when the route has ended and both endpoints are closed. Never rejects. */
  readonly done: Promise<RouteResult>;

  private readonly bridge: BridgeScope;
  private readonly unreachable: "fail" | "keep";
  private readonly accounting: Accounting;
  private readonly drops: Drops;
  private readonly stopping = new AbortController();
  private readonly backoff: ReturnType<typeof createBackoff>;
  /** For each connection. */
  private readonly settings: ConnectionSettings;
  private resolveDone: (result: RouteResult) => void = () => {};
  private current: RouteState = "idle";
  private connection: Connection | undefined;
  private wasConnected = false;
  private reconnects = 0;
  private startedAt: number | undefined;
  private lastError: unknown;
  private cancelGrace: (() => void) | undefined;

  constructor(plan: RoutePlan, run: RouteRunOptions, bridge: BridgeScope) {
    this.name = plan.name;
    this.plan = plan;
    this.bridge = bridge;
    this.unreachable = run.unreachable ?? "fail";
    this.drops = new Drops(plan.name, bridge.log);
    this.accounting = new Accounting(undefined, this.drops);
    this.backoff = createBackoff(plan.options.reconnectIntervalMs);
    const { handler, limit = Number.POSITIVE_INFINITY } = run;
    const remaining = (): number => limit - this.delivered();
    const { accounting, backoff } = this;
    // A connection that brings the source forward is a good one: the next failure starts with the short pause again.
    const cameForward = (): void => backoff.reset();
    this.settings = { plan, bridge, accounting, sessions: new Map(), handler, remaining, cameForward };
    this.done = new Promise((resolve) => void (this.resolveDone = resolve));
  }

  get state(): RouteState {
    return this.current;
  }

  get hasEnded(): boolean {
    return ["completed", "stopped", "failed"].includes(this.current);
  }

  /**
   * Opens both endpoints and begins to move messages. Resolves `running` when both are connected (or have ended
   * already), `connecting` when they are not in time and the route keeps trying. Rejects with the real cause, and ends the
   * route, on a `config` error at once and on an unreachable endpoint after `startup_timeout_ms`.
   */
  async start(): Promise<"running" | "connecting"> {
    if (this.current !== "idle") throw coreErrors.ALREADY_STARTED({ route: this.name });
    this.current = "connecting";
    this.startedAt = this.bridge.clock.now();
    const answer = await new Promise<StartAnswer>((resolve) => {
      this.live(resolve).catch((error: unknown) => this.conclude({ reason: "failed", error }, resolve));
    });
    if (typeof answer === "string") return answer;
    await this.done;
    throw answer.error;
  }

  /**
   * Stops reading, finishes what is in flight, flushes, commits, closes. Resolves when the route has ended. May be called
   * again, with another grace period from then on.
   */
  async stop(options: StopOptions = {}): Promise<RouteResult> {
    if (this.current === "idle") this.conclude({ reason: "stopped" }, () => {});
    if (!this.hasEnded) {
      const first = !this.stopping.signal.aborted;
      if (first || options.graceMs !== undefined) {
        const graceMs = options.graceMs ?? DEFAULT_GRACE_MS;
        this.cancelGrace?.();
        this.cancelGrace = this.bridge.clock.timer(graceMs, () => this.cut(graceMs));
      }
      if (first) {
        this.current = "stopping";
        this.stopping.abort();
        this.connection?.stop();
      }
    }
    return await this.done;
  }

  status(): RouteStatus {
    const drops = this.drops.list();
    const error = this.lastError ?? this.connection?.trouble ?? drops.at(-1)?.cause;
    const ends = this.connection?.status() ?? { inFlight: NOTHING };
    return {
      name: this.name,
      state: this.current,
      healthy: WELL.includes(this.current) && [ends.input, ends.output].every((end) => end?.healthy ?? true),
      ...(error === undefined ? {} : { error: describeError(error) }),
      guarantee: this.plan.guarantee.level,
      guaranteeReason: this.plan.guarantee.reason,
      accounting: this.accounting.snapshot(),
      drops,
      reconnects: this.reconnects,
      ...(this.startedAt === undefined ? {} : { startedAt: this.startedAt }),
      ...ends,
    };
  }

  /** The whole life: connect, pump, close, again after connection errors, until something final. */
  private async live(answer: (answer: StartAnswer) => void): Promise<void> {
    const { clock, log } = this.bridge;
    const { options, guarantee } = this.plan;
    const { startupTimeoutMs, reconnectIntervalMs } = options;
    const startPause = Math.max(START_PAUSE_MS.min, Math.min(reconnectIntervalMs, START_PAUSE_MS.max));
    log.info(`route ${this.name}: ${guarantee.level} (${guarantee.reason})`);
    const deadline = clock.monotonic() + startupTimeoutMs;
    let starting = true;
    const answerOnce = (given: StartAnswer): void => {
      starting = false;
      answer(given);
    };
    let end: PumpEnd = { reason: "stopped" };
    while (!this.stopping.signal.aborted) {
      const left = deadline - clock.monotonic();
      if (starting && left <= 0 && this.lastError !== undefined) {
        end = { reason: "failed", error: this.lastError };
        if (this.unreachable !== "keep") break;
        answerOnce("connecting");
      }
      end = await this.connectOnce(starting ? left : startupTimeoutMs || REOPEN_MS, () => answerOnce("running"));
      if (end.reason !== "connection") break;
      const { error } = end;
      end = { reason: "stopped" };
      if (this.stopping.signal.aborted) break;
      const final = options.exitOnEmpty ? this.endOfDrain(error) : undefined;
      if (final !== undefined) {
        end = { reason: "failed", error: final };
        break;
      }
      this.lastError = error;
      if (this.wasConnected) this.reconnects += 1;
      const pause = starting ? Math.max(0, Math.min(startPause, deadline - clock.monotonic())) : this.backoff.next();
      this.current = this.wasConnected ? "reconnecting" : "connecting";
      log.warn(`route ${this.name}: ${describeError(error)}; next try in ${Math.round(pause)} ms`);
      await sleep(clock, pause, this.stopping.signal);
    }
    await endSessions({ route: this.name, bridge: this.bridge, sessions: this.settings.sessions });
    this.conclude(end, answer);
    // A failed start is reported to whoever asked for it.
    if (end.reason === "failed" && !starting) log.error(`route ${this.name} failed: ${describeError(end.error)}`);
  }

  /** One connection: opens both ends, pumps, closes both. */
  private async connectOnce(openMs: number, opened: () => void): Promise<PumpEnd> {
    const connection = new Connection(this.settings);
    this.connection = connection;
    let end: PumpEnd;
    try {
      await connection.open(openMs, this.lastError);
      this.wasConnected = true;
      this.lastError = undefined;
      if (!this.stopping.signal.aborted) this.current = "running";
      opened();
      end = await connection.run();
    } catch (error) {
      end = this.stopping.signal.aborted ? { reason: "stopped" } : endOf(error);
    }
    await connection.close();
    this.connection = undefined;
    return end;
  }

  /** The error that a drain ends with after a connection error, or undefined to try again. */
  private endOfDrain(error: unknown): unknown {
    if (this.delivered() === 0 && this.accounting.get("deadLettered") === 0) return error;
    if (this.reconnects < MAX_DRAIN_RECONNECTS) return undefined;
    return coreErrors.DRAIN_GAVE_UP({ route: this.name, reconnects: this.reconnects }, { cause: error });
  }

  /** Ends the route, and answers a `start` that still waits. */
  private conclude(end: PumpEnd, answer: (answer: StartAnswer) => void): void {
    if (this.hasEnded) return;
    const error = "error" in end ? end.error : undefined;
    const outcome = end.reason === "failed" || end.reason === "stopped" ? end.reason : "completed";
    this.current = outcome;
    this.lastError = outcome === "failed" ? error : undefined;
    this.cancelGrace?.();
    const { accounting, drops } = this.status();
    this.resolveDone({ outcome, ...(error === undefined ? {} : { error }), accounting, drops });
    if (outcome === "failed") answer({ error });
    else answer(outcome === "completed" ? "running" : { error: coreErrors.STOPPED({ route: this.name }) });
  }

  private delivered(): number {
    return this.accounting.get("delivered") + this.accounting.get("replied");
  }

  /** The grace period is over: give up what is in flight. */
  private cut(graceMs: number): void {
    const error = coreErrors.GRACE_OVER({ route: this.name, ms: graceMs });
    this.connection?.cut(error);
    this.bridge.log.warn(error.message);
  }
}
