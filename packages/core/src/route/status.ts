import type { EndpointStatus } from "../contract/endpoint.ts";
import type { AccountingSnapshot } from "./accounting.ts";
import type { DropCount } from "./drops.ts";

export type RouteState = RouteResult["outcome"] | "idle" | "connecting" | "running" | "reconnecting" | "stopping";

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
  /** Connected, or ended well, and neither end says otherwise. */
  readonly healthy: boolean;
  /**
   * The last connection error while (re)connecting, the cause of a failure, why messages go back to the source, or the last
   * cause of a dropped message.
   */
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

/** States in which nothing is wrong with the route itself. */
export const WELL: readonly RouteState[] = ["running", "stopping", "completed", "stopped"];
