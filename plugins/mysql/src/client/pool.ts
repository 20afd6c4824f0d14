import { connect, isIP, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { ConnectContext, ConnectSettings } from "@mqb/sql";
import { sqlErrors } from "@mqb/sql";
import { tlsFailure } from "@mqb/tls";
import type { ConnectionOptions } from "mysql2";
import { classify } from "./classify.ts";
import { Session } from "./session.ts";
import { type Way, waysTo } from "./tls.ts";
import { withTlsCode } from "./tls-code.ts";
import { type Address, readAddress, target as targetOf } from "./url.ts";

/** An unreachable server is said sooner than a full pool. */
const CONNECT_MS = 10_000;
/** Work that a server does not answer is ended when the pool is closed. */
const CLOSE_MS = 1000;
/** What is under way when its signal aborts may end by itself. */
const GRACE_MS = 300;

type Limits = Pick<
  ConnectSettings,
  "maxConnections" | "minConnections" | "acquireTimeoutMs" | "idleTimeoutMs" | "maxLifetimeMs" | "testBeforeAcquire"
>;

interface Waiting {
  readonly take: (session: Session | undefined) => void;
}

/** The connections to one database. */
export class MysqlPool {
  readonly target: string;
  private readonly limits: Limits;
  private readonly open: () => Promise<Session>;
  private readonly idle = new Map<Session, NodeJS.Timeout>();
  private readonly used = new Set<Session>();
  private readonly waiting: Waiting[] = [];
  /** Connections that are there or on their way. */
  private size = 0;
  private closing: Promise<void> | undefined;

  private constructor(open: () => Promise<Session>, target: string, limits: Limits) {
    this.open = open;
    this.target = target;
    this.limits = limits;
  }

  /** Connects once, so that wrong settings are said now. */
  static async connect(settings: ConnectSettings, context: ConnectContext): Promise<MysqlPool> {
    const target = targetOf(settings.url);
    const address = readAddress(settings.url);
    if (typeof address === "string") throw sqlErrors.URL({ field: "url", reason: address });
    const ways = await waysTo(address, settings, context);
    for (const [n, way] of ways.entries()) {
      const options = optionsOf(address, settings, way);
      const pool = new MysqlPool(() => Session.open(options), target, settings);
      try {
        await pool.first(context.signal);
        return pool;
      } catch (thrown) {
        await pool.close();
        const error = withTlsCode(thrown);
        if (n === ways.length - 1 || !isAboutTls(error))
          throw tlsFailure(error, target, settings.tls) ?? classify(error, target);
      }
    }
    throw sqlErrors.LOST({ target, reason: "there is no way to it" });
  }

  /** One connection for the work; it is thrown away when the work finds it broken. */
  async use<T>(work: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const session = await this.acquire();
    const stopWaiting = signal && cutAfter(session, signal);
    try {
      return await work(session);
    } catch (error) {
      const known = classify(error, this.target);
      if (known.kind === "connection") session.lost ??= known;
      throw known;
    } finally {
      stopWaiting?.();
      this.release(session);
    }
  }

  /** All or nothing. */
  transaction<T>(work: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.use(async (session) => {
      // Without locks between rows, which would keep writers waiting that are in nobody's way.
      await session.query("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
      await session.query("START TRANSACTION");
      try {
        const result = await work(session);
        await session.query("COMMIT");
        return result;
      } catch (error) {
        const known = classify(error, this.target);
        if (known.kind !== "connection") {
          await session.query("ROLLBACK").catch((lost: Error) => {
            session.lost ??= lost;
          });
        }
        throw known;
      }
    }, signal);
  }

  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async acquire(): Promise<Session> {
    const end = performance.now() + this.limits.acquireTimeoutMs;
    for (;;) {
      if (this.closing) throw sqlErrors.CLOSED({ target: this.target });
      const session = this.takeIdle() ?? (await this.another(end));
      if (session && (await this.isUsable(session))) return session;
    }
  }

  private takeIdle(): Session | undefined {
    // The one that was used last.
    const session = [...this.idle.keys()].at(-1);
    if (!session) return undefined;
    clearTimeout(this.idle.get(session));
    this.idle.delete(session);
    this.used.add(session);
    return session;
  }

  /** A new one, or one that is given back. */
  private async another(end: number): Promise<Session | undefined> {
    if (this.size < this.limits.maxConnections) {
      this.size++;
      try {
        const session = await this.open();
        this.used.add(session);
        if (!this.closing) return session;
        this.release(session);
        return undefined;
      } catch (error) {
        this.gone();
        throw classify(error, this.target);
      }
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        take: (session) => {
          clearTimeout(timer);
          resolve(session);
        },
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        reject(sqlErrors.BUSY({ target: this.target, reason: "no connection of the pool came free in time" }));
      }, end - performance.now());
      this.waiting.push(waiting);
    });
  }

  private async isUsable(session: Session): Promise<boolean> {
    if (!session.lost && this.limits.testBeforeAcquire) {
      await session.ping().catch((error: Error) => {
        session.lost ??= error;
      });
    }
    if (!session.lost) return true;
    this.release(session);
    return false;
  }

  private release(session: Session): void {
    this.used.delete(session);
    const tooOld = performance.now() - session.openedAt > this.limits.maxLifetimeMs;
    if (session.lost || tooOld || this.closing) {
      if (session.lost) session.destroy();
      else void session.end();
      this.gone();
      return;
    }
    const next = this.waiting.shift();
    if (next) {
      this.used.add(session);
      next.take(session);
    } else this.keep(session);
  }

  private keep(session: Session): void {
    const timer = setTimeout(() => {
      if (this.size <= this.limits.minConnections) return this.keep(session);
      this.idle.delete(session);
      this.gone();
      void session.end();
    }, this.limits.idleTimeoutMs);
    timer.unref();
    this.idle.delete(session);
    this.idle.set(session, timer);
  }

  /** There is room for another one. */
  private gone(): void {
    this.size--;
    this.waiting.shift()?.take(undefined);
  }

  private async first(signal: AbortSignal): Promise<void> {
    const given = new Promise<never>((_, reject) => {
      const stop = (): void => reject(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
    given.catch(() => {});
    this.size++;
    const connected = this.open();
    try {
      this.keep(await Promise.race([connected, given]));
    } catch (error) {
      this.size--;
      connected.then((late) => late.destroy()).catch(() => {});
      throw error;
    }
    const more = Math.min(this.limits.minConnections, this.limits.maxConnections) - 1;
    for (let n = 0; n < more; n++) {
      this.size++;
      this.keep(await this.open());
    }
  }

  private async end(): Promise<void> {
    for (const waiting of this.waiting.splice(0)) waiting.take(undefined);
    const idle = [...this.idle];
    this.idle.clear();
    for (const [, timer] of idle) clearTimeout(timer);
    const late = new AbortController();
    const cut = pause(CLOSE_MS, undefined, { signal: late.signal }).then(
      () => {
        for (const session of this.used) session.destroy();
        for (const [session] of idle) session.destroy();
      },
      () => {},
    );
    await Promise.all(idle.map(([session]) => session.end()));
    while (this.used.size > 0) await pause(5);
    late.abort();
    await cut;
  }
}

/** Ends the connection when its answer does not come soon after nobody waits any more. Gives what takes that back. */
function cutAfter(session: Session, signal: AbortSignal): () => void {
  let timer: NodeJS.Timeout | undefined;
  const cut = (): void => {
    timer = setTimeout(() => session.destroy(), GRACE_MS);
  };
  if (signal.aborted) cut();
  else signal.addEventListener("abort", cut, { once: true });
  return () => {
    signal.removeEventListener("abort", cut);
    clearTimeout(timer);
  };
}

function optionsOf(address: Address, settings: ConnectSettings, ssl: Way): ConnectionOptions {
  const { host, port, socket, database } = address;
  const user = settings.username ?? address.username;
  const password = settings.password ?? address.password;
  return {
    ...(socket === undefined ? { host, port } : { socketPath: socket }),
    ...(database === undefined ? {} : { database }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(ssl === undefined ? {} : { ssl }),
    // Without it mysql2 3.24 checks the certificate of an address for the name localhost.
    ...(ssl?.verifyIdentity && isIP(host) > 0 ? { stream: () => connectTo(host, port) } : {}),
    charset: "utf8mb4_unicode_ci",
    connectTimeout: Math.max(1, Math.min(settings.acquireTimeoutMs, CONNECT_MS)),
    enableKeepAlive: true,
    // No server is given a file of this machine.
    flags: ["-LOCAL_FILES"],
  };
}

/** A socket that tells TLS which address it was connected to. */
function connectTo(host: string, port: number): Socket {
  const socket = connect({ host, port, noDelay: true, keepAlive: true });
  return Object.assign(socket, { _host: host });
}

/** The server wants the other of plain text and TLS. */
function isAboutTls(error: unknown): boolean {
  const { code, errno } = error as { readonly code?: unknown; readonly errno?: unknown };
  return code === "HANDSHAKE_NO_SSL_SUPPORT" || errno === 3159 || errno === 1045;
}
