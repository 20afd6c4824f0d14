const LENGTH = 10_000;
const TIMES = 20;
/** Twenty times the text takes twenty times as long, and more on a busy machine. Squared it would be four hundred. */
export const MOST = 120;

/** Other tests run in other threads of the process, whose time counts: the least of several runs is the least disturbed one. */
const RUNS = 6;

/** Of the processor, so that whoever else is busy does not count. */
function milliseconds(work: () => unknown): number {
  const times = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(1, Math.min(...times));
}

/** How many times as long the work takes for twenty times the text. */
export function growth(work: (text: string) => unknown, unit: string, tail: string): number {
  const long = (length: number) => `${unit.repeat(Math.ceil(length / unit.length))}${tail}`;
  return milliseconds(() => work(long(TIMES * LENGTH))) / milliseconds(() => work(long(LENGTH)));
}

/** For a test that measures on a machine that does other things. */
export const PATIENCE_MS = 60_000;
