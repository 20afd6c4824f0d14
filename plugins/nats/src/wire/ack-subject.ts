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
const MOST_DIGITS = 15;

export function originOf(reply: Uint8Array | undefined): Origin | undefined {
  if (!reply) return undefined;
  const dots: number[] = [];
  for (let i = 0; i < reply.length; i++) if (reply[i] === DOT) dots.push(i);
  // Nine words, or eleven and more: domain and hash stand behind $JS.ACK.
  const first = dots.length === 8 ? 3 : dots.length >= 10 ? 5 : -1;
  if (first < 0) return undefined;
  const end = (n: number): number => dots[n] ?? reply.length;
  const deliveries = digits(reply, dots[first]! + 1, end(first + 1));
  const sequence = digits(reply, dots[first + 1]! + 1, end(first + 2));
  const waiting = digits(reply, dots[first + 4]! + 1, end(first + 5));
  return deliveries < 0 || sequence < 0 || waiting < 0 ? undefined : { deliveries, sequence, waiting };
}

/** Whether an ack subject is one of a stream: `$JS.ACK.<stream>.…`, or the newer form with the domain and a hash before the stream. */
export function isAckOf(stream: string, subject: string): boolean {
  const words = subject.split(".");
  return words[0] === "$JS" && words[1] === "ACK" && words[words.length >= 11 ? 4 : 2] === stream;
}

/** The number in some ASCII digits; -1 when they are none, or too many for a number. */
export function digits(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  if (to <= from || to - from > MOST_DIGITS) return -1;
  for (let i = from; i < to; i++) {
    const digit = bytes[i]! - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}
