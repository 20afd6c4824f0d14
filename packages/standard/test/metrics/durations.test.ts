import { expect, it } from "vitest";
import { Durations } from "../../src/metrics/durations.ts";

it("gives quantiles that are near the true ones, from nanoseconds to hours", () => {
  for (const unit of [1e-8, 1e-5, 1e-3, 1, 10]) {
    const durations = new Durations();
    for (let i = 1; i <= 1_000; i++) durations.observe(i * unit);
    for (const share of [0.01, 0.5, 0.9, 0.95, 0.99, 1]) {
      const expected = share * 1_000 * unit;
      expect(Math.abs(durations.quantile(share) / expected - 1), `${share} of ${unit}`).toBeLessThan(0.04);
    }
    expect(durations.count).toBe(1_000);
    expect(durations.sum).toBeCloseTo(500_500 * unit, 6);
  }
});

it("takes anything, and has an answer when it has seen nothing", () => {
  const durations = new Durations();
  expect(durations.quantile(0.5)).toBe(0);
  for (const odd of [0, -1, 1e-12, 1e12, Number.NaN]) durations.observe(odd);
  expect(durations.count).toBe(5);
  expect(durations.quantile(0)).toBeGreaterThan(0);
});
