import type { Message, Metadata, OpenContext } from "@mqb/core/plugin";
import type { Connection } from "../client/connection.ts";
import { subjectFault } from "../names.ts";
import { headerLines, type Withheld } from "../wire/headers.ts";

const REPLY_TO = "reply_to";
const RECENT = 1024;

/** Sends replies to whoever has asked. */
export class Replier {
  /** Replies that nobody could be sent. */
  failed = 0;
  private readonly connection: Connection;
  private readonly context: Pick<OpenContext, "log" | "route">;
  private readonly withheld: Withheld;
  /** Where replies went lately, for what the server says of them. */
  private readonly recent = new Set<string>();

  constructor(connection: Connection, context: Pick<OpenContext, "log" | "route">, withheld: Withheld) {
    this.connection = connection;
    this.context = context;
    this.withheld = withheld;
  }

  /**
   * Answers a request: its `reply_to` header, or the reply subject of core NATS, says where. A request that nobody waits for,
   * or that asks for a reply to a subject of the server itself, gets none, and counts as handled.
   */
  reply(request: Metadata, reply: Message): void {
    const to = request.get(REPLY_TO);
    const refusal = to === undefined ? undefined : this.send(to, reply);
    if (refusal !== undefined) this.refuse(refusal);
  }

  /** The server does not permit to send to a subject: to that of a reply, perhaps. */
  denied(subject: string): void {
    if (!this.recent.delete(subject)) return;
    this.refuse(`the server does not permit the reply to ${JSON.stringify(subject.slice(0, 100))}`);
  }

  /** Returns why nothing was sent. */
  private send(to: string, { payload, metadata }: Message): string | undefined {
    // A header is anybody's: `$JS.API.STREAM.DELETE.…` as a reply subject would do with our rights what theirs do not permit.
    if (subjectFault(to, false) !== undefined || to.startsWith("$")) {
      return `a request asks for its reply at ${JSON.stringify(to.slice(0, 100))}, where none is sent`;
    }
    const pairs = new Map(metadata);
    pairs.delete(REPLY_TO);
    const lines = headerLines(pairs, this.withheld);
    const head = lines === "" ? "" : `NATS/1.0\r\n${lines}\r\n`;
    const headLength = Buffer.byteLength(head);
    const size = headLength + payload.length;
    const { maxPayload } = this.connection;
    if (size > maxPayload) return `a reply of ${size} bytes is not sent: the server takes ${maxPayload}`;
    if (this.recent.size >= RECENT) this.recent.clear();
    this.recent.add(to);
    const command = head === "" ? `PUB ${to} ${size}\r\n` : `HPUB ${to} ${headLength} ${size}\r\n${head}`;
    this.connection.write(Buffer.concat([Buffer.from(command), payload, Buffer.from("\r\n")]));
    return undefined;
  }

  private refuse(what: string): void {
    this.failed += 1;
    const { log, route } = this.context;
    log.warn(`route ${route}: ${what}`, { route, failedReplies: this.failed });
  }
}
