import type { OpenContext } from "@mqb/core/plugin";

/** Metadata that could not become headers: warned about once, counted for the status. */
export class DroppedHeaders {
  count = 0;
  private readonly what: string;
  private readonly context: Pick<OpenContext, "log" | "route">;

  constructor(what: string, context: Pick<OpenContext, "log" | "route">) {
    this.what = what;
    this.context = context;
  }

  readonly add = (name: string): void => {
    this.count += 1;
    if (this.count > 1) return;
    const { log, route } = this.context;
    // The name comes from outside, and may hold anything.
    const shown = JSON.stringify(name.slice(0, 60));
    log.warn(
      `metadata ${shown} cannot be a header of ${this.what} and is left out; a header has a name without blanks and a value without line breaks`,
      { route },
    );
  };
}
