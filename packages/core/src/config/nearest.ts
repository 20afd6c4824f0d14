/** The name among `known` that was probably meant, by edit distance; undefined when none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(name.length / 3));
  const distance = (one: string): number => editDistance(name.toLowerCase(), one.toLowerCase());
  const near = known.filter((one) => Math.abs(one.length - name.length) <= limit);
  const rated = near.map((one) => ({ one, distance: distance(one) })).filter((rating) => rating.distance <= limit);
  return rated.sort((a, b) => a.distance - b.distance)[0]?.one;
}

/** "did you mean …?", or the names that exist. */
export function suggest(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? `known: ${known.join(", ") || "none"}` : `did you mean "${near}"?`;
}

/** Optimal string alignment distance: a swap of neighbours counts once. */
function editDistance(a: string, b: string): number {
  const d = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  for (let j = 1; j <= b.length; j++) d[0]!.push(j);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = d[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? d[i - 2]![j - 2]! + 1 : replaced;
      d[i]!.push(Math.min(d[i - 1]![j]! + 1, d[i]![j - 1]! + 1, replaced, swapped));
    }
  }
  return d[a.length]![b.length]!;
}
