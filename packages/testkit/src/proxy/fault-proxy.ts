import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export interface Address {
  readonly host: string;
  readonly port: number;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** Nothing of it is forwarded any more, as if one end had lost its power. */
  abandoned: boolean;
}

export interface FaultProxyOptions {
  /**
   * What the client gets instead of these bytes of the server; as many. For protocols whose servers tell their own
   * address, which a client would go to behind the proxy's back. Called with what comes at a time, which may be any part.
   */
  readonly rewrite?: (bytes: Buffer, proxy: Address) => Buffer;
}

const SLICES_PER_SECOND = 20;

/**
 * A TCP proxy on the loopback interface that forwards to a server until a test makes it misbehave. Give its `address`
 * to the client instead of the server's.
 */
export class FaultProxy implements AsyncDisposable {
  /** How many connections were accepted ever. */
  accepted = 0;
  /** Bytes forwarded so far. */
  bytesToClient = 0;
  bytesToServer = 0;
  readonly target: Address;
  private readonly links = new Set<Link>();
  private listener: Server | undefined;
  private port = 0;
  private resetNew = false;
  private rate: number | undefined;
  private stalled: Promise<void> | undefined;
  private goOn: (() => void) | undefined;
  private readonly closing = new AbortController();

  private readonly options: FaultProxyOptions;

  private constructor(target: Address, options: FaultProxyOptions) {
    this.target = target;
    this.options = options;
  }

  /** Starts a proxy to `target`, on a free port. */
  static async to(target: Address, options: FaultProxyOptions = {}): Promise<FaultProxy> {
    const proxy = new FaultProxy(target, options);
    await proxy.listen();
    return proxy;
  }

  get address(): Address {
    return { host: "127.0.0.1", port: this.port };
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.links.size;
  }

  /** Ends every open connection with a reset, as a crash or a firewall does. New ones are accepted. */
  cut(): void {
    for (const { client, server } of this.links) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** From now on nothing is read or forwarded, in either direction; connections stay open. */
  stall(): void {
    this.stalled ??= new Promise((resolve) => {
      this.goOn = resolve;
    });
  }

  resume(): void {
    this.goOn?.();
    this.stalled = undefined;
  }

  /**
   * From now on nothing is forwarded on the connections that are open, and neither end is told, until one of them gives
   * up: half-open connections, as a machine leaves behind that loses its power. New connections work.
   */
  abandon(): void {
    for (const link of this.links) link.abandoned = true;
  }

  /** From now on new connections are `refused` (nobody listens) or `reset` as soon as they are made. */
  async refuse(how: "refused" | "reset" = "refused"): Promise<void> {
    this.resetNew = how === "reset";
    if (how === "reset") return;
    this.listener?.close();
    this.listener = undefined;
  }

  /** Accepts connections again, on the same port. */
  async accept(): Promise<void> {
    this.resetNew = false;
    if (!this.listener) await this.listen();
  }

  /** Tells every client that the server sends nothing more; what the clients send is still forwarded. */
  halfClose(): void {
    for (const { client } of this.links) client.end();
  }

  /** From now on each connection forwards at most this many bytes a second in each direction; `undefined` = all. */
  slow(bytesPerSecond: number | undefined): void {
    this.rate = bytesPerSecond;
  }

  /** Stops listening and resets what is open. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.refuse();
    this.resume();
    this.cut();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async listen(): Promise<void> {
    const listener = createServer({ allowHalfOpen: true }, (client) => this.link(client));
    listener.listen(this.port, "127.0.0.1");
    await once(listener, "listening");
    this.port = (listener.address() as { port: number }).port;
    this.listener = listener;
  }

  private link(client: Socket): void {
    if (this.resetNew) {
      client.resetAndDestroy();
      return;
    }
    this.accepted++;
    const server = connect({ ...this.target, allowHalfOpen: true });
    const link: Link = { client, server, abandoned: false };
    this.links.add(link);
    const drop = (): void => {
      this.links.delete(link);
      client.destroy();
      server.destroy();
    };
    // What goes wrong on one side, the other side sees as a reset.
    client.on("error", drop);
    server.on("error", () => client.resetAndDestroy());
    client.on("close", drop);
    server.on("close", drop);
    void this.forward(link, client, server, (bytes) => {
      this.bytesToServer += bytes;
    });
    void this.forward(link, server, client, (bytes) => {
      this.bytesToClient += bytes;
    });
  }

  private async forward(link: Link, from: Socket, to: Socket, count: (bytes: number) => void): Promise<void> {
    const { rewrite } = this.options;
    try {
      for await (const received of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        const chunk = rewrite && from === link.server ? rewrite(received, this.address) : received;
        for (let at = 0; at < chunk.length; ) {
          await this.stalled;
          // Read and thrown away: whoever writes must not be told by a full buffer either.
          if (link.abandoned) break;
          const rate = this.rate;
          const slice = chunk.subarray(at, rate ? at + Math.max(1, Math.floor(rate / SLICES_PER_SECOND)) : undefined);
          at += slice.length;
          count(slice.length);
          if (!to.write(slice)) await once(to, "drain");
          if (rate) await this.pause((slice.length / rate) * 1000);
        }
      }
      await this.stalled;
      // An end of an abandoned connection that has given up takes it with it.
      if (link.abandoned) from.destroy();
      else to.end();
    } catch {
      // The sockets' own error handlers have ended the link.
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.closing;
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
      signal.addEventListener("abort", done, { once: true });
    });
  }
}
