import type { RawMsg } from "../client/driver.ts";
import { originOf } from "../wire/ack-subject.ts";

/** What the server is told about a message that it has given out. */
export const ACK_BODY = "";
export const NAK_BODY = "-NAK";
export const WORKING_BODY = "+WPI";

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 30_000;
const NANOS_PER_MILLI = 1_000_000;

/** Commands that say the same about each of some messages. */
export function tellAll(messages: readonly RawMsg[], body: string): Buffer {
  const end = ` ${body.length}\r\n${body}\r\n`;
  let size = 0;
  for (const { _msg } of messages) size += 4 + (_msg.reply?.length ?? 0) + end.length;
  const commands = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const { _msg } of messages) {
    if (!_msg.reply) continue;
    at += commands.write("PUB ", at, "latin1");
    commands.set(_msg.reply, at);
    at += _msg.reply.length;
    at += commands.write(end, at, "latin1");
  }
  return commands.subarray(0, at);
}

export function tell(subject: string, body: string): Buffer {
  return Buffer.from(`PUB ${subject} ${Buffer.byteLength(body)}\r\n${body}\r\n`);
}

/**
 * Gives a message back. The first time it comes again at once, as with the original; then after a pause that grows, so that
 * one that always fails does not go round as fast as it can.
 */
export function nakBody(message: RawMsg): string {
  const deliveries = originOf(message._msg.reply)?.deliveries ?? 1;
  if (deliveries <= 1) return NAK_BODY;
  const ms = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(deliveries - 2, 20));
  return `${NAK_BODY} {"delay": ${ms * NANOS_PER_MILLI}}`;
}
