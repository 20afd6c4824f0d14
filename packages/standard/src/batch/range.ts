/** The positions `from` to `to`, without `to`. */
export function range(from: number, to: number): Uint32Array {
  const positions = new Uint32Array(to - from);
  for (let i = 0; i < positions.length; i++) positions[i] = from + i;
  return positions;
}
