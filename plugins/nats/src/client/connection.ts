import { type MqbError, sleep, systemClock } from "@mqb/core/plugin";
import type { NatsConnection, Subscription } from "nats";
import { errors } from "../errors.ts";
import { deniedSubject, lostBy, NO_ANSWER } from "./classify.ts";
import { type DriverProtocol, protocolOf } from "./driver.ts";
import { Reader, type Take } from "./reader.ts";

/** How long an orderly goodbye may take before the socket is torn down. */
const GOODBYE_MS = 500;

/** Who uses a connection hears of its end, once, and of what the server does not permit. */
export interface Watcher {
  lost(error: MqbError): void;
  denied?(error: MqbError, subject: string): void;
}

/**
 * One connection to the server. It does not reconnect: its end is a `connection` error for everybody who uses it, and
 * the routes open a new one. What belongs to an old connection can so never be taken for something of the new one.
 */
export class Connection {
  readonly nats: NatsConnection;
  readonly target: string;
  /** Set once it has ended. */
  end: MqbError | undefined;
  private readonly watchers = new Set<Watcher>();
  private readonly protocol: DriverProtocol;
  private readonly reader: Reader;
  /** Of the flushes under way: the driver leaves them pending when the connection ends. */
  private readonly flushing = new Set<(error: MqbError) => void>();
  private closing: Promise<void> | undefined;

  constructor(nats: NatsConnection, target: string) {
    const protocol = protocolOf(nats);
    if (!protocol) throw errors.DRIVER({ version: nats.info?.version ?? "?" });
    this.nats = nats;
    this.target = target;
    this.protocol = protocol;
    this.reader = new Reader(protocol, (cause) => {
      const reason = `what it has sent cannot be read: ${(cause as Error).message}`;
      this.giveUp(errors.LOST({ target, reason }, { cause }));
    });
    protocol.parser = this.reader;
    void nats.closed().then((cause) => this.ended(cause ?? undefined));
    void this.listen();
  }

  /** Largest message that the server takes, headers included. */
  get maxPayload(): number {
    return this.nats.info?.max_payload ?? 1024 * 1024;
  }

  /** Bytes that were written and the system has not taken. */
  get unsent(): number {
    return this.protocol.transport?.socket?.writableLength ?? 0;
  }

  /** Calls back once when the system has taken everything; never when the connection ends first. */
  onDrained(callback: () => void): void {
    this.protocol.transport?.socket?.once("drain", callback);
  }

  /** Calls `watcher` from now on; the returned function ends that. A connection that has ended throws. */
  watch(watcher: Watcher): () => void {
    if (this.end) throw this.end;
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /**
   * `take` gets every message, in a frame that is its own only within the call; `refused` is called when the server does not
   * permit the subscription. What either throws ends the connection.
   */
  subscribe(subject: string, take: Take, refused: () => void, queue?: string): Subscription {
    if (this.end) throw this.end;
    const callback = (error: Error | null): void => {
      if (error) refused();
    };
    const subscription = this.nats.subscribe(subject, { callback, ...(queue === undefined ? {} : { queue }) });
    const id = subscription.getID();
    this.reader.take(id, take);
    void subscription.closed.then(() => this.reader.forget(id));
    return subscription;
  }

  /** Ready-made commands of the protocol. Goes nowhere once the connection has ended. */
  write(commands: Uint8Array): void {
    if (!this.end) this.protocol.sendCommand(commands);
  }

  /** Resolves when the server has read everything that was written. Rejects with the end of the connection. */
  flush(): Promise<void> {
    if (this.end) return Promise.reject(this.end);
    return new Promise((resolve, reject) => {
      const failed = (cause: unknown): void => {
        this.flushing.delete(failed);
        reject(this.end ?? lostBy(cause, this.target));
      };
      this.flushing.add(failed);
      this.nats.flush().then(() => {
        this.flushing.delete(failed);
        resolve();
      }, failed);
    });
  }

  /** Ends it for everybody who uses it: nothing comes from the server, although it is connected. */
  giveUp(error: MqbError): void {
    this.ended(error);
    // An orderly end would wait behind what the server does not read.
    this.protocol.transport?.socket?.destroy();
    void this.close();
  }

  close(): Promise<void> {
    this.closing ??= this.sayGoodbye();
    return this.closing;
  }

  private async sayGoodbye(): Promise<void> {
    const socket = this.protocol.transport?.socket;
    const given = new AbortController();
    try {
      if (!this.end) await Promise.race([this.flush(), sleep(systemClock, GOODBYE_MS, given.signal)]);
    } catch {
      // It has ended meanwhile.
    } finally {
      given.abort();
    }
    this.end ??= errors.CLOSED({});
    this.failFlushes(this.end);
    await this.nats.close().catch(() => {});
    socket?.destroy();
  }

  private ended(cause: Error | undefined): void {
    if (this.end) return;
    const error = lostBy(cause, this.target);
    this.end = error;
    this.failFlushes(error);
    for (const watcher of [...this.watchers]) watcher.lost(error);
    this.watchers.clear();
  }

  private failFlushes(error: MqbError): void {
    for (const fail of [...this.flushing]) fail(error);
  }

  /** The driver tells of refused subjects here and nowhere else, and of a silent server before it waits to write to it. */
  private async listen(): Promise<void> {
    for await (const status of this.nats.status()) {
      if ((status.type as string) === "staleConnection") {
        this.giveUp(errors.LOST({ target: this.target, reason: NO_ANSWER }));
        return;
      }
      const subject = deniedSubject(status);
      if (subject === undefined) continue;
      const error = errors.NOT_PERMITTED({ target: this.target, what: subject.what });
      for (const watcher of [...this.watchers]) watcher.denied?.(error, subject.subject);
    }
  }
}
