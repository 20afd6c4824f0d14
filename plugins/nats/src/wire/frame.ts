const NOTHING = Buffer.alloc(0);
const SPACE = 32;

/**
 * One message within the bytes that were received: where its parts begin and end. A reader has one of them for all messages:
 * whoever is called with it reads what he wants before he returns.
 */
export class Frame {
  bytes: Buffer = NOTHING;
  subject = 0;
  subjectEnd = 0;
  /** Both 0 when there is none. */
  reply = 0;
  replyEnd = 0;
  /** Its header block, up to the payload. */
  head = 0;
  payload = 0;
  end = 0;

  get hasHeaders(): boolean {
    return this.payload > this.head;
  }

  /** A view. */
  get block(): Buffer {
    return this.bytes.subarray(this.head, this.payload);
  }

  /** A view. */
  get data(): Buffer {
    return this.bytes.subarray(this.payload, this.end);
  }
}

/** The status of a message without payload that the server itself sends: 100, 404, 408, 409, 503; 0 = a real message. */
export function statusOf({ bytes, head, payload, end }: Frame): number {
  // `NATS/1.0 ` and three digits; a message of somebody has `NATS/1.0\r\n`.
  if (payload - head < 12 || payload !== end || bytes[head + 8] !== SPACE) return 0;
  return (bytes[head + 9]! - 48) * 100 + (bytes[head + 10]! - 48) * 10 + (bytes[head + 11]! - 48);
}

/** What stands behind the code. */
export function statusText({ bytes, head, payload }: Frame): string {
  const line = bytes.toString("latin1", head + 12, Math.min(payload, head + 512));
  return line.slice(0, line.indexOf("\r\n")).trim();
}
