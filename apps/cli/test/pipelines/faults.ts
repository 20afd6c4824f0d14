import { defineErrors, errorRow } from "@mqb/core/plugin";
import type { Random } from "@mqb/testkit";

type None = Record<string, never>;

const errors = defineErrors("MQB_TEST", {
  BUSY: errorRow<None>({ kind: "retryable", message: () => "the sink is busy" }),
  POISON: errorRow<None>({ kind: "permanent", message: () => "the sink refuses this message" }),
  CUT: errorRow<None>({ kind: "connection", message: () => "the connection is cut" }),
});

export const busy = (): Error => errors.BUSY({});
export const refused = (): Error => errors.POISON({});
export const cut = (): Error => errors.CUT({});

/** Faults that pass: their number is limited, so that every pipeline comes to an end. */
export class Faults {
  private readonly random: Random;
  private left: number;

  constructor(random: Random, most: number) {
    this.random = random;
    this.left = most;
  }

  strikes(chance: number): boolean {
    if (this.left <= 0 || this.random() >= chance) return false;
    this.left -= 1;
    return true;
  }
}
