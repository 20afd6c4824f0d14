import type { IncomingMessage } from "node:http";
import { hashId, idFromText, type MessageId, type Metadata } from "@mqb/core/plugin";
import { MESSAGE_TYPE } from "../frame-type.ts";
import { pathOf } from "../listener/listener.ts";

/** Credentials of a client, by the names of their headers. */
const SECRET =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key|x-csrf-token|x-xsrf-token)$|session|auth-token|access-token|secret|password/;

/** What a client said of itself when it connected: it goes for each of its messages. */
export class Handshake {
  readonly text: Metadata;
  readonly binary: Metadata;
  private readonly id: string | undefined;
  private received = 0;

  constructor(request: IncomingMessage, idHeader: string) {
    const common: [string, string][] = [
      ["ws_path", pathOf(request)],
      ["ws_peer_addr", peerOf(request)],
    ];
    for (const [name, value] of Object.entries(request.headers)) {
      if (value === undefined || SECRET.test(name)) continue;
      common.push([`ws_header.${name}`, Array.isArray(value) ? value.join(", ") : value]);
    }
    this.text = new Map([[MESSAGE_TYPE, "text"], ...common]);
    this.binary = new Map([[MESSAGE_TYPE, "binary"], ...common]);
    const given = request.headers[idHeader];
    this.id = typeof given === "string" && given !== "" ? given : undefined;
  }

  /**
   * The id of its next message; undefined = it has none. The header is one for the connection: it is the id of the first
   * message, and the others get ids that are as stable, so that no two messages are taken for one.
   */
  nextId(): MessageId | undefined {
    if (this.id === undefined) return undefined;
    this.received += 1;
    return this.received === 1 ? idFromText(this.id) : hashId(`${this.id}#${this.received}`);
  }
}

function peerOf({ socket }: IncomingMessage): string {
  const { remoteAddress = "", remotePort = 0 } = socket;
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/, "");
  return address.includes(":") ? `[${address}]:${remotePort}` : `${address}:${remotePort}`;
}
