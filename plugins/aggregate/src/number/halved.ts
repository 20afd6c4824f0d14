/**
 * 0.5 to the power of `times`, which is at least 0. `Math.pow` is off by one in the last place for one argument in ten, and
 * states would not be those that mq-bridge computes from the same messages.
 */
export function halved(times: number): number {
  const whole = Math.floor(times);
  if (whole >= HALVES.length) return 0;
  const part = times - whole;
  const step = Math.floor(part * STEPS);
  // Exact: both have few enough digits.
  const rest = part - step / STEPS;
  const z = -rest * Math.LN2;
  const grown = z * (1 + (z / 2) * (1 + (z / 3) * (1 + (z / 4) * (1 + z / 5))));
  const high = HIGH[step]!;
  return (high + (high * grown + LOW[step]!)) * HALVES[whole]!;
}

const STEPS = 256;
/** 0.5 to the power of 0, 1, 2, … down to the least number there is. */
const HALVES = Float64Array.from({ length: 1075 }, (_, n) => (n < 1000 ? 2 ** -n : 2 ** -1000 * 2 ** (1000 - n)));
/** 0.5 to the power of 0/256, 1/256, …: the nearest doubles, and what they lack. */
const HIGH = new Float64Array(STEPS);
const LOW = new Float64Array(STEPS);
fillTable();

function fillTable(): void {
  const bits = 160n;
  // The root of a half, taken eight times.
  let root = 1n << (bits - 1n);
  for (let steps = 1; steps < STEPS; steps *= 2) root = squareRoot(root << bits);
  let power = 1n << bits;
  for (let step = 0; step < STEPS; step++) {
    const high = Number(power) / 2 ** Number(bits);
    HIGH[step] = high;
    LOW[step] = Number(power - BigInt(high * 2 ** Number(bits))) / 2 ** Number(bits);
    power = (power * root) >> bits;
  }
}

function squareRoot(square: bigint): bigint {
  let root = 1n << BigInt((square.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
