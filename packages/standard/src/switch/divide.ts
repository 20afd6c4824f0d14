/** The positions that go to each of `count` destinations, in their order; `each` holds the destination by position. */
export function divide(each: Int32Array, count: number): Uint32Array[] {
  const lengths = new Uint32Array(count);
  for (let index = 0; index < each.length; index++) if (each[index]! >= 0) lengths[each[index]!]! += 1;
  const positions = Array.from(lengths, (length) => new Uint32Array(length));
  const filled = new Uint32Array(count);
  for (let index = 0; index < each.length; index++) {
    const destination = each[index]!;
    if (destination < 0) continue;
    positions[destination]![filled[destination]!] = index;
    filled[destination]! += 1;
  }
  return positions;
}
