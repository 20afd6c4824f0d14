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

export function originOf(reply: Uint8Array | undefined): Origin | undefined {
  if (!reply) return undefined;
  const dots: number[] = [];
  for (let i = 0; i < reply.length; i++) if (reply[i] === DOT) dots.push(i);
  // Nine words, or eleven and more: domain and hash stand behind $JS.ACK.
  const first = dots.length === 8 ? 3 : dots.length >= 10 ? 5 : -1;
  if (first < 0) return undefined;
  const end = (n: number): number => dots[n] ?? reply.length;
  return {
    deliveries: digits(reply, dots[first]! + 1, end(first + 1)),
    sequence: digits(reply, dots[first + 1]! + 1, end(first + 2)),
    waiting: digits(reply, dots[first + 4]! + 1, end(first + 5)),
  };
}

/** The number in some ASCII digits. */
export function digits(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + bytes[i]! - 48;
  return value;
}
