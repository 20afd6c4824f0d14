import { eventually } from "../wait/eventually.ts";

/** What keeps the process alive and was not there at the beginning. */
export interface NewResources {
  /** Waits until nothing new is open, and gives what still is when it does not end. */
  left(withinMs: number): Promise<string[]>;
}

/** Remembers which timers, sockets, files, … are open now, by kind. */
export function newResources(): NewResources {
  const before = tally(process.getActiveResourcesInfo());
  const extra = (): string[] => {
    const more: string[] = [];
    for (const [kind, count] of tally(process.getActiveResourcesInfo())) {
      const added = count - (before.get(kind) ?? 0);
      if (added > 0 && !OWN.has(kind)) more.push(`${kind} x ${added}`);
    }
    return more;
  };
  return {
    async left(withinMs) {
      // Closing handles and the runner's own timers come and go: it is enough that once nothing new is there.
      let last: string[] = [];
      await eventually(() => (last = extra()).length === 0, "everything to be closed", withinMs).catch(() => {});
      return last;
    },
  };
}

// What waiting for the event loop itself takes, and what a test runner talks to its parent with.
const OWN: ReadonlySet<string> = new Set(["Immediate", "TTYWrap", "PipeWrap", "MessagePort"]);

function tally(kinds: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
