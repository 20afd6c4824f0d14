/** What the program under test holds at one moment. Bytes, and counts. */
export interface Sample {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly handles: number;
  readonly fds: number;
  /** Seconds of CPU since its start. */
  readonly cpu: number;
}

/** A mean of the three thirds of a soak. */
export interface Thirds {
  readonly what: keyof Sample;
  readonly means: readonly [number, number, number];
}

/** So much may come on top over the last two thirds, by the straight line that fits them best. */
const SLACK: Partial<Record<keyof Sample, number>> = { rss: 4 << 20, heapUsed: 4 << 20, external: 4 << 20 };
const COUNT_SLACK = 1;

export const WATCHED = ["rss", "heapUsed", "external", "handles", "fds"] as const;

/** The means of each third; the first one has the start in it, and what it fills once. */
export function thirds(samples: readonly Sample[]): readonly Thirds[] {
  const size = Math.floor(samples.length / 3);
  const mean = (what: keyof Sample, third: number): number => {
    const part = samples.slice(third * size, third === 2 ? undefined : (third + 1) * size);
    return part.reduce((sum, one) => sum + one[what], 0) / part.length;
  };
  return WATCHED.map((what) => ({ what, means: [mean(what, 0), mean(what, 1), mean(what, 2)] }));
}

/** What grows: too few samples say nothing, which is a fault, too. */
export function growing(samples: readonly Sample[]): string[] {
  if (samples.length < 9) return [`only ${samples.length} samples`];
  const late = samples.slice(Math.floor(samples.length / 3));
  return WATCHED.map((what) => ({ what, growth: growthOf(late.map((one) => one[what])) }))
    .filter(({ what, growth }) => growth > (SLACK[what] ?? COUNT_SLACK))
    .map(({ what, growth }) => `${what} grows: by ${Math.round(growth)} in the last two thirds`);
}

/** How much the regression line of values at even intervals rises from the first to the last one. */
function growthOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  let [sum, squares] = [0, 0];
  for (const [n, value] of values.entries()) {
    sum += (n - middle) * value;
    squares += (n - middle) ** 2;
  }
  return (2 * middle * sum) / squares;
}
