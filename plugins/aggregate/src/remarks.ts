import type { Logger } from "@mqb/core/plugin";
import type { Result } from "./result.ts";

/** Says what became of messages that could not be folded, or came late: once as a warning what may come with every message. */
export class Remarks {
  private readonly log: Logger;
  private readonly route: string;
  private lateSaid = false;
  private skippedSaid = false;

  constructor(log: Logger, route: string) {
    this.log = log;
    this.route = route;
  }

  of({ late, skipped, reasons }: Result): void {
    const { log, route } = this;
    if (late !== undefined && !this.lateSaid) {
      this.lateSaid = true;
      log.warn(
        `messages come later than newer ones of their keys; aggregate weighs them by their lateness and marks them with mqb.aggregate.late, first for ${late}`,
        { route },
      );
    }
    if (skipped !== undefined && !this.skippedSaid) {
      this.skippedSaid = true;
      log.warn(
        `messages pass without entries that aggregate cannot compute, marked with mqb.aggregate.skipped, first without ${skipped}: ${reasons[0]}`,
        { route },
      );
    }
    for (const reason of reasons) log.debug(`aggregate left entries of a message out: ${reason}`, { route });
  }

  rejected({ rejected }: Result, became: string): void {
    if (rejected.length === 0) return;
    const [first] = rejected;
    this.log.warn(`aggregate cannot fold ${rejected.length} message(s); ${became}. The first one: ${first!.reason}`, {
      route: this.route,
    });
  }

  /** `isNew`: not one of several batches that the same failure gives back. */
  failed(error: Error, length: number, isNew = true): void {
    this.log[isNew ? "warn" : "debug"](`aggregate gives ${length} message(s) back: ${error.message}`, {
      route: this.route,
      error,
    });
  }
}
