/** The value of a key, made when it is asked for first. */
export function getOrMake<V>(map: Map<string, V>, key: string, make: () => V): V {
  if (!map.has(key)) map.set(key, make());
  return map.get(key) as V;
}
