import type { ResolvedEndpoint } from "../config/resolve.ts";
import type { Guarantee } from "../contract/config-types.ts";

export interface InferredGuarantee {
  readonly level: Guarantee;
  /** Why, in words that name the side that decides. */
  readonly reason: string;
}

const ORDER: readonly Guarantee[] = ["at_most_once", "at_least_once", "effectively_once"];

/** The delivery guarantee that follows from the declared capabilities of both sides. */
export function inferGuarantee(input: ResolvedEndpoint, output: ResolvedEndpoint): InferredGuarantee {
  const [source, sink] = [input.input!, output.output!];
  if (!source.acknowledges)
    return { level: "at_most_once", reason: `the input "${input.type}" cannot give a message back once it was read` };
  if (!sink.acknowledges)
    return { level: "at_most_once", reason: `the output "${output.type}" does not confirm what it takes` };
  // A name made of positions knows nothing of ids.
  const repeats = source.replayablePosition || (source.stableIds && sink.needsPositions === undefined);
  if (sink.idempotent && repeats) {
    const reason = `the input "${input.type}" repeats its identities and the output "${output.type}" takes each once`;
    return { level: "effectively_once", reason };
  }
  const missing = sink.idempotent
    ? `the input "${input.type}" has no identity that repeats`
    : `the output "${output.type}" may write a repeated message twice`;
  return { level: "at_least_once", reason: missing };
}

export function isWeaker(inferred: Guarantee, required: Guarantee): boolean {
  return ORDER.indexOf(inferred) < ORDER.indexOf(required);
}
