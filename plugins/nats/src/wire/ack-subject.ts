import { digits } from "./digits.ts";

/**
 * What the reply subject of a message of a stream tells: `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence in the
 * stream>.<sequence in the consumer>.<time>.<still waiting>`, or the newer form with the domain and a hash before the stream.
 */
export interface Origin {
  /** How often it was given out, this time included. */
  readonly deliveries: number;
  readonly sequence: number;
  /** Messages of the consumer that were not given out yet. */
  readonly waiting: number;
}

const DOT = 46;

/** The reply subject is the bytes from `from` to `to`. */
export function originIn(bytes: Uint8Array, from: number, to: number): Origin | undefined {
  const dots: number[] = [];
  for (let i = from; i < to; i++) if (bytes[i] === DOT) dots.push(i);
  // Nine words, or eleven and more: domain and hash stand behind $JS.ACK.
  const first = dots.length === 8 ? 3 : dots.length >= 10 ? 5 : -1;
  if (first < 0) return undefined;
  const end = (n: number): number => dots[n] ?? to;
  const deliveries = digits(bytes, dots[first]! + 1, end(first + 1));
  const sequence = digits(bytes, dots[first + 1]! + 1, end(first + 2));
  const waiting = digits(bytes, dots[first + 4]! + 1, end(first + 5));
  return deliveries < 0 || sequence < 0 || waiting < 0 ? undefined : { deliveries, sequence, waiting };
}

/** Whether an ack subject is one of a stream: `$JS.ACK.<stream>.…`, or the newer form with the domain and a hash before the stream. */
export function isAckOf(stream: string, subject: string): boolean {
  const words = subject.split(".");
  return words[0] === "$JS" && words[1] === "ACK" && words[words.length >= 11 ? 4 : 2] === stream;
}
