import type { OpenContext } from "@mqb/core/plugin";
import type { Withheld } from "./headers.ts";

const MOST_NAMES = 16;

/** Says once for each name that it is not sent, and counts: names come from outside, so not all of them are said. */
export class WithheldMetadata {
  count = 0;
  readonly note: Withheld;
  private readonly said = new Set<string>();

  constructor({ log, route }: Pick<OpenContext, "log" | "route">) {
    this.note = (name) => {
      this.count += 1;
      if (this.said.has(name) || this.said.size >= MOST_NAMES) return;
      this.said.add(name);
      const why = name.startsWith("Nats-")
        ? "it would tell the server what to do with the stream"
        : "its name is no header name, or its value has a line end";
      log.warn(`route ${route}: the metadata ${JSON.stringify(name.slice(0, 100))} is not sent to NATS: ${why}`, {
        route,
      });
    };
  }
}
