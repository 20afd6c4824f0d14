/** Ten buckets per power of two keep quantiles within 4 % of the true value. */
const PER_OCTAVE = 10;
const LOWEST = 1e-9;
const OCTAVES = 44;

/** Counts durations in seconds, from a nanosecond to hours, in a fixed amount of memory. */
export class Durations {
  count = 0;
  /** Of all durations, in seconds. */
  sum = 0;
  private readonly buckets = new Float64Array(PER_OCTAVE * OCTAVES + 1);

  observe(seconds: number): void {
    this.count++;
    this.sum += seconds;
    this.buckets[bucketOf(seconds)]!++;
  }

  /** The duration that this share of all durations does not exceed, 0 when there are none. */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.count));
    let below = 0;
    for (let i = 0; i < this.buckets.length; i++) {
      below += this.buckets[i]!;
      if (below >= rank) return middleOf(i);
    }
    return 0;
  }
}

function bucketOf(seconds: number): number {
  if (!(seconds > LOWEST)) return 0;
  return Math.min(PER_OCTAVE * OCTAVES, Math.ceil(Math.log2(seconds / LOWEST) * PER_OCTAVE));
}

/** The geometric middle of a bucket, in as many digits as mean something: powers differ in the last ones between engines. */
function middleOf(bucket: number): number {
  return Number((bucket === 0 ? LOWEST : LOWEST * 2 ** ((bucket - 0.5) / PER_OCTAVE)).toPrecision(6));
}
