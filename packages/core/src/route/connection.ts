import { closeEnd } from "../bridge/close.ts";
import { type BridgeScope, type OpenScope, openConsumer, openPublisher } from "../bridge/open.ts";
import type { Consumer, EndpointStatus, Publisher } from "../contract/endpoint.ts";
import { coreErrors } from "../errors/errors.ts";
import { describeError } from "../errors/mqb-error.ts";
import { Accounting } from "./accounting.ts";
import { Pump, type PumpEnd, type PumpSettings } from "./pump.ts";
import type { RouteStatus } from "./status.ts";
import { untilIdle } from "./until-idle.ts";
import { orAborted } from "./within.ts";

export const NOTHING = { batches: 0, bytes: 0 };

/** What a route gives to each of its connections. */
export interface ConnectionSettings extends Omit<PumpSettings, "givesBack"> {
  readonly bridge: BridgeScope;
  /** By path; outlives the connection. */
  readonly sessions: Map<string, Map<string, unknown>>;
}

/** One connection of a route: opens both ends, pumps until something ends it, closes both. Used once. */
export class Connection {
  private readonly s: ConnectionSettings;
  private readonly scope: OpenScope;
  /** The life of both ends: aborted when opening is given up, and after they were closed. */
  private readonly life = new AbortController();
  private readonly cutOff = new AbortController();
  private pump: Pump | undefined;
  private consumer: Consumer | undefined;
  private publisher: Publisher | undefined;

  constructor(settings: ConnectionSettings) {
    this.s = settings;
    // A part of its own: what a cut-off connection reports late does not count.
    const accounting = new Accounting(settings.accounting);
    const { plan, bridge, sessions } = settings;
    const { exitOnEmpty: draining, allowFaultInjection } = plan.options;
    const positions = plan.output.output!.needsPositions !== undefined;
    const { signal } = this.life;
    this.scope = { bridge, route: plan.name, signal, draining, allowFaultInjection, positions, accounting, sessions };
  }

  get trouble(): unknown {
    return this.pump?.trouble;
  }

  status(): Pick<RouteStatus, "inFlight" | "input" | "output"> {
    const input = statusOf(this.consumer);
    const output = statusOf(this.publisher);
    return { inFlight: this.pump?.load ?? NOTHING, ...(input ? { input } : {}), ...(output ? { output } : {}) };
  }

  /** Opens both ends. Rejects with the cause, or with a timeout that has `lastError` as its cause. */
  async open(ms: number, lastError: unknown): Promise<void> {
    const { plan, bridge } = this.s;
    const { name: route, options } = plan;
    let waitingFor = "the output";
    const cancel = bridge.clock.timer(Math.max(1, ms), () => {
      const params = { route, ms: options.startupTimeoutMs, waitingFor };
      this.life.abort(coreErrors.START_TIMEOUT(params, lastError === undefined ? {} : { cause: lastError }));
    });
    try {
      // The output first: nothing is read before there is a place to put it.
      this.publisher = await openPublisher(plan.output, this.scope);
      waitingFor = "the input";
      const consumer = await openConsumer(plan.input, this.scope);
      this.consumer = options.exitOnEmpty ? untilIdle(consumer, plan.input, this.scope) : consumer;
    } finally {
      cancel();
    }
  }

  /** Moves messages until something ends it, then flushes. Never rejects. */
  async run(): Promise<PumpEnd> {
    const { plan, handler } = this.s;
    const ends = [plan.input, plan.output];
    const keeps = (end: (typeof ends)[number]): boolean =>
      end.children.length > 0 || end.middlewares.some(({ definition }) => !definition.keepsNothing);
    const givesBack = plan.output.output!.keepsNothing === true && !ends.some(keeps) && !handler;
    const settings = { ...this.s, accounting: this.scope.accounting, givesBack };
    this.pump = new Pump(this.consumer!, this.publisher!, settings);
    if (this.life.signal.aborted) this.pump.stop();
    const end = await this.pump.run();
    if (end.reason === "connection" || end.reason === "failed" || this.cutOff.signal.aborted) return end;
    try {
      const flushed = (async () => await this.publisher!.flush?.())();
      await orAborted(flushed, this.cutOff.signal);
      return end;
    } catch (cause) {
      return { reason: "failed", error: coreErrors.FLUSH_FAILED({ route: this.s.plan.name }, { cause }) };
    }
  }

  /** Gives up opening, or stops reading and lets what is in flight finish. */
  stop(): void {
    if (this.pump) this.pump.stop();
    else this.life.abort(coreErrors.STOPPED({ route: this.s.plan.name }));
  }

  /** Gives up what is in flight, so that a stuck end cannot hold the process. */
  cut(reason: unknown): void {
    this.cutOff.abort(reason);
    this.pump?.cut(reason);
  }

  /** Closes both ends, waits a bounded time for each. What was in flight is the source's again. Never rejects. */
  async close(): Promise<void> {
    if (this.consumer) await closeEnd(this.consumer, "input", this.scope);
    if (this.publisher) await closeEnd(this.publisher, "output", this.scope);
    const { name: route, input } = this.s.plan;
    const { acknowledges, takesBack = acknowledges } = input.input!;
    const left = this.scope.accounting.get("inFlight");
    const lost = `route ${route}: ${left} messages were read and not delivered; the input "${input.type}" takes nothing back`;
    if (left > 0 && !takesBack) this.s.bridge.log.error(lost, { route });
    this.scope.accounting.close(takesBack);
    this.life.abort(coreErrors.STOPPED({ route: this.scope.route }));
  }
}

/** A status that cannot be read is an unhealthy one. */
function statusOf(end: Consumer | Publisher | undefined): EndpointStatus | undefined {
  try {
    return end?.status?.();
  } catch (error) {
    return { healthy: false, target: "", error: describeError(error) };
  }
}
