import type { Received } from "../wire/received.ts";

/** What the server is told about a message that it has given out. */
export const ACK_BODY = "";
export const NAK_BODY = "-NAK";
export const WORKING_BODY = "+WPI";

const VERB = Buffer.from("PUB ");
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
const NANOS_PER_MILLI = 1_000_000;

/** Commands that say the same about each message, or about those that are meant. */
export function tellAll(received: Received, body: string, isMeant: (index: number) => boolean = () => true): Buffer {
  const { bytes, length } = received;
  const end = Buffer.from(` ${body.length}\r\n${body}\r\n`);
  let size = 0;
  for (let i = 0; i < length; i++) size += VERB.length + received.replyEnd(i) - received.replyStart(i) + end.length;
  const commands = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (let i = 0; i < length; i++) {
    const [from, to] = [received.replyStart(i), received.replyEnd(i)];
    if (from === to || !isMeant(i)) continue;
    for (let n = 0; n < VERB.length; n++) commands[at++] = VERB[n]!;
    // Each `copy` of Node makes a view.
    for (let n = from; n < to; n++) commands[at++] = bytes[n]!;
    for (let n = 0; n < end.length; n++) commands[at++] = end[n]!;
  }
  return commands.subarray(0, at);
}

export function tell(subject: string, body: string): Buffer {
  return Buffer.from(`PUB ${subject} ${Buffer.byteLength(body)}\r\n${body}\r\n`);
}

/**
 * Gives a message back. The first time it comes again at once, as with the original; then after a pause that grows, so that
 * one that always fails does not go round as fast as it can. `deliveries` counts this one, too.
 */
export function nakBody(deliveries: number): string {
  if (deliveries <= 1) return NAK_BODY;
  const ms = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(deliveries - 2, 20));
  return `${NAK_BODY} {"delay": ${ms * NANOS_PER_MILLI}}`;
}
