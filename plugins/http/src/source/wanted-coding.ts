import type { CodecName } from "@mqb/formats";

/** Those that are made, the most widely read one first. */
const MADE: readonly CodecName[] = ["gzip", "zstd", "lz4"];

/** The coding that a client likes best of those that can be made; undefined = it wants the body as it is. */
export function wantedCoding(header: string | string[] | undefined): CodecName | undefined {
  if (header === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const part of String(header).split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = parameters.find((one) => one.startsWith("q="));
    const weight = quality === undefined ? 1 : Number(quality.slice(2));
    if (name !== "" && weight >= 0) weights.set(name === "x-gzip" ? "gzip" : name, weight);
  }
  let best: CodecName | undefined;
  let bestWeight = 0;
  for (const codec of MADE) {
    const weight = weights.get(codec) ?? (codec === "gzip" ? (weights.get("*") ?? 0) : 0);
    if (weight > bestWeight) [best, bestWeight] = [codec, weight];
  }
  return bestWeight >= (weights.get("identity") ?? 0) ? best : undefined;
}
