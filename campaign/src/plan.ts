import { integer, pick, type Random, randomFrom } from "@mqb/testkit";

/** What may happen to a route. Which of them can depends on the pair, and on the machine. */
export const EVENT_KINDS = [
  "kill",
  "terminate",
  "cut source",
  "cut sink",
  "stall source",
  "stall sink",
  "refuse source",
  "refuse sink",
  "restart server",
  "kill server",
  "clock jump",
  "state disk full",
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

export interface PlannedEvent {
  readonly kind: EventKind;
  /** How long after rows have begun to move. */
  readonly afterMs: number;
  /** How long what can last lasts. */
  readonly lastsMs: number;
  /** What else chance decides, from 0 to 1. */
  readonly chance: number;
}

export interface PlannedRound {
  readonly rows: number;
  readonly event: PlannedEvent;
}

/** Servers take a while to come back: not in every round. */
const WEIGHTS: Partial<Record<EventKind, number>> = { kill: 6, terminate: 3, "restart server": 1, "kill server": 2 };
const WEIGHT = 2;

/** The whole course of a campaign: the same for the same seed, whatever the machine does meanwhile. */
export function plan(seed: number, rounds: number, kinds: readonly EventKind[]): readonly PlannedRound[] {
  const random = randomFrom(seed);
  const drawn = kinds.flatMap((kind) => Array.from({ length: WEIGHTS[kind] ?? WEIGHT }, () => kind));
  return Array.from({ length: rounds }, () => ({
    rows: integer(random, 500, 2500),
    event: event(random, drawn),
  }));
}

function event(random: Random, kinds: readonly EventKind[]): PlannedEvent {
  return {
    kind: pick(random, kinds),
    afterMs: integer(random, 0, 100),
    lastsMs: integer(random, 50, 600),
    chance: random(),
  };
}
