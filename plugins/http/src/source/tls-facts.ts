import type { TLSSocket } from "node:tls";
import type { Request } from "../listener/index.ts";

export interface TlsFact {
  readonly cipher: string;
  readonly protocol: string;
}

/** What protects the connection of a request, asked for once a connection: a closed one says nothing any more. */
export class TlsFacts {
  private readonly known = new WeakMap<object, TlsFact>();

  of(request: Request): TlsFact | undefined {
    const socket = request.socket as Partial<TLSSocket> | undefined;
    if (socket?.encrypted !== true || !socket.getCipher || !socket.getProtocol) return undefined;
    const owner = "stream" in request ? (request.stream.session ?? socket) : socket;
    let fact = this.known.get(owner);
    if (!fact) {
      const cipher = (socket.getCipher() as { standardName?: string } | null)?.standardName ?? "";
      fact = { cipher, protocol: socket.getProtocol() ?? "" };
      this.known.set(owner, fact);
    }
    return fact;
  }
}
