import { Frame } from "../src/wire/frame.ts";

export interface FrameParts {
  readonly subject?: string;
  readonly reply?: string;
  /** The header block with its empty line. */
  readonly block?: string;
  readonly payload?: string | Uint8Array;
}

/** A message as a reader passes it on, within bytes that are not its own. */
export function frameOf({ subject = "s.a", reply = "", block = "", payload = "" }: FrameParts): Frame {
  const head = Buffer.from(block);
  const body = Buffer.from(payload as string);
  const line = `junk\r\nMSG ${subject} 7 ${reply} `;
  const frame = new Frame();
  frame.bytes = Buffer.concat([Buffer.from(line), head, body, Buffer.from("\r\nMSG")]);
  frame.subject = "junk\r\nMSG ".length;
  frame.subjectEnd = frame.subject + Buffer.byteLength(subject);
  if (reply !== "") {
    frame.reply = frame.subjectEnd + " 7 ".length;
    frame.replyEnd = frame.reply + Buffer.byteLength(reply);
  }
  frame.head = Buffer.byteLength(line);
  frame.payload = frame.head + head.length;
  frame.end = frame.payload + body.length;
  return frame;
}
