import { connect, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { describeError, isMqbError } from "@mqb/core/plugin";
import type { TlsConfig } from "@mqb/tls";
import { connectFailure, type Peer } from "../classify.ts";
import {
  type ApiName,
  type ApiVersions,
  type Driver,
  type DriverConnection,
  type DriverRequest,
  repairQueue,
  SILENT_LOGGER,
  type SocketFactory,
} from "../driver/driver.ts";
import { kafkaErrors } from "../errors.ts";
import { type BrokerAddress, type ConnectionSettings, describeBroker } from "./settings.ts";

export interface BrokerOptions {
  readonly driver: Driver;
  readonly settings: ConnectionSettings;
  readonly tlsConfig?: TlsConfig | undefined;
  /** Requests that may wait for their answers; the others queue up in order [no limit]. */
  readonly inFlight?: number;
}

/** A request that is encoded already. */
export interface RawRequest {
  readonly apiKey: number;
  readonly name: string;
  readonly version: number;
  readonly body: readonly Uint8Array[];
  /** Of the newer encoding: header and answer carry tagged fields. */
  readonly flexible?: boolean;
  readonly answers?: boolean;
  /** How long the broker may take [the connection's own limit, which is also the least]. */
  readonly timeoutMs?: number;
}

const EMPTY = Buffer.alloc(0);
const KEEP_ALIVE_MS = 60_000;
/** How long what was written may take to leave when the connection is closed. */
const LEAVE_MS = 1000;

/**
 * One connection to one broker, logged in. Requests are answered in order, so that whoever waits long (a fetch) has a connection
 * of its own. Once it is lost it stays lost; every pending request fails at once.
 */
export class BrokerConnection {
  readonly address: BrokerAddress;
  readonly target: string;
  private readonly driver: Driver;
  private readonly connection: DriverConnection;
  private readonly peer: Peer;
  private readonly clientId: Buffer;
  private readonly writeLimitMs: number;
  private versions: ApiVersions = {};
  private socket: Socket | undefined;
  private socketError: Error | undefined;
  private failure: Error | undefined;
  private readonly lost: Promise<never>;
  private lose: (error: Error) => void = () => {};

  private constructor(address: BrokerAddress, options: BrokerOptions) {
    const { driver, settings } = options;
    this.driver = driver;
    this.address = address;
    this.target = describeBroker(address);
    this.peer = { target: this.target, tls: options.tlsConfig, mechanism: settings.sasl?.mechanism };
    this.clientId = Buffer.from(settings.clientId);
    this.writeLimitMs = settings.requestTimeoutMs;
    this.lost = new Promise((_, reject) => {
      this.lose = reject;
    });
    this.lost.catch(() => {});
    this.connection = new driver.Connection({
      ...address,
      logger: SILENT_LOGGER,
      ssl: settings.tls ?? null,
      sasl: settings.sasl ? { ...settings.sasl } : null,
      clientId: settings.clientId,
      connectionTimeout: settings.connectTimeoutMs,
      requestTimeout: settings.requestTimeoutMs,
      maxInFlightRequests: options.inFlight ?? null,
      socketFactory: (wanted) => this.watch(openSocket(wanted, settings), settings),
    });
    repairQueue(this.connection.requestQueue);
  }

  /** Connects and logs in. Rejects with a coded error; `signal` ends the attempt. */
  static async open(address: BrokerAddress, options: BrokerOptions, signal: AbortSignal): Promise<BrokerConnection> {
    const made = new BrokerConnection(address, options);
    const aborted = (): void => made.close();
    signal.addEventListener("abort", aborted, { once: true });
    try {
      if (signal.aborted) throw kafkaErrors.CLOSED({ what: "client" });
      await Promise.race([made.connect(options.settings.sasl !== undefined), made.lost]);
      return made;
    } catch (error) {
      made.close();
      throw connectFailure(made.socketError ?? error, made.peer);
    } finally {
      signal.removeEventListener("abort", aborted);
    }
  }

  get isLost(): boolean {
    return this.failure !== undefined;
  }

  /** Whether the broker knows a version of an API. */
  knows(apiKey: number, version: number): boolean {
    const range = this.versions[apiKey];
    return range !== undefined && range.minVersion <= version && version <= range.maxVersion;
  }

  /**
   * One of the driver's requests. The answer is decoded; error codes in it are the caller's to look at. `T` is what the driver
   * makes of it.
   */
  async request<T>(name: ApiName, parameters: object, timeoutMs?: number): Promise<T> {
    const { driver } = this;
    const { request, response, requestTimeout } = driver.lookup(this.versions)(
      driver.apiKeys[name],
      driver.requests[name],
    )(parameters);
    return (await this.send(name, { request, response }, timeoutMs ?? requestTimeout)) as T;
  }

  /** Logs in again where the session of the login runs out. Before `raw`, which does not wait for anything. */
  ready(): Promise<void> | undefined {
    return this.peer.mechanism === undefined || this.connection.isAuthenticated()
      ? undefined
      : this.connection.authenticate();
  }

  /**
   * Sends bytes as they are, before it returns. The answer begins behind its header. Where none is expected it is empty, and there
   * when the system has taken the bytes: until then they count as pending.
   */
  async raw(request: RawRequest): Promise<Buffer> {
    if (this.failure) throw this.failure;
    const { apiKey, name, version, body, flexible = false, answers = true } = request;
    const correlationId = this.connection.nextCorrelationId();
    const head = this.head(request, correlationId, flexible);
    const { socket } = this;
    const leaving = answers ? undefined : new Departure(this.writeLimitMs);
    const answered = new Promise<{ readonly payload: Buffer | null }>((resolve, reject) => {
      this.connection.requestQueue.push({
        entry: { apiKey, apiName: name, apiVersion: version, correlationId, resolve, reject },
        expectResponse: answers,
        requestTimeout: request.timeoutMs ?? null,
        sendRequest: () => {
          socket!.cork();
          socket!.write(head);
          for (const part of body) socket!.write(part);
          if (leaving) socket!.write(EMPTY, leaving.left);
          socket!.uncork();
        },
      });
    });
    try {
      const { payload } = await answered;
      await leaving?.done;
      return payload === null ? EMPTY : flexible ? payload.subarray(1) : payload;
    } catch (error) {
      throw this.failed(error, name);
    } finally {
      leaving?.end();
    }
  }

  /** What waits for an answer fails at once; what is written already still leaves, within a second. Idempotent. */
  close(): void {
    this.fail(kafkaErrors.CLOSED({ what: `connection to ${this.target}` }));
    const { socket } = this;
    if (!socket || socket.connecting || socket.writableLength === 0) {
      socket?.destroy();
      return;
    }
    socket.end();
    const limit = setTimeout(() => socket.destroy(), LEAVE_MS);
    socket.once("close", () => clearTimeout(limit));
  }

  private async connect(withLogin: boolean): Promise<void> {
    await this.connection.connect();
    this.versions = await this.askVersions();
    this.connection.setVersions(this.versions);
    const { apiKeys } = this.driver;
    this.connection.setSupportAuthenticationProtocol(this.knows(apiKeys.SaslAuthenticate, 0));
    if (withLogin) await this.connection.authenticate();
  }

  private async askVersions(): Promise<ApiVersions> {
    const { requests } = this.driver;
    const { request, response } = requests.ApiVersions.protocol({ version: 0 })();
    const answer = (await this.send("ApiVersions", { request, response }, undefined)) as {
      readonly apiVersions: readonly { apiKey: number; minVersion: number; maxVersion: number }[];
    };
    return Object.fromEntries(answer.apiVersions.map((one) => [one.apiKey, one]));
  }

  private async send(
    name: string,
    call: {
      readonly request: DriverRequest;
      readonly response: { readonly decode: (bytes: Buffer) => Promise<unknown> };
    },
    timeoutMs: number | undefined,
  ): Promise<unknown> {
    if (this.failure) throw this.failure;
    let unencodable: unknown;
    const { encode } = call.request;
    const request = {
      ...call.request,
      encode: async () => {
        try {
          return await encode();
        } catch (error) {
          unencodable = error;
          throw error;
        }
      },
    };
    try {
      return await this.connection.send({
        request,
        response: { decode: call.response.decode, parse: (decoded) => decoded },
        requestTimeout: timeoutMs ?? null,
        logResponseError: false,
      });
    } catch (error) {
      // Nothing has left: the connection is as good as before.
      if (unencodable !== undefined) throw unencodable;
      throw this.failed(error, name);
    }
  }

  private failed(error: unknown, request: string): Error {
    if (isMqbError(error)) return error;
    if (this.failure) return this.failure;
    const { name } = error as Error;
    // Whoever waits for this connection must be able to tell a refused login from a lost connection.
    if (name === "KafkaJSSASLAuthenticationError") return error as Error;
    // An answer that did not come in time: what comes later on this connection belongs to nobody.
    const failure = kafkaErrors.REQUEST_FAILED(
      { target: this.target, request, reason: describeError(this.socketError ?? error) },
      { cause: error },
    );
    if (name === "KafkaJSRequestTimeoutError" || error instanceof NotTaken) {
      this.fail(failure);
      this.socket?.destroy();
    }
    return failure;
  }

  private fail(error: Error): void {
    if (this.failure) return;
    this.failure = error;
    this.lose(error);
    const { requestQueue } = this.connection;
    requestQueue.rejectAll(error);
    requestQueue.destroy();
  }

  private watch(socket: Socket, { socket: wanted }: ConnectionSettings): Socket {
    this.socket = socket;
    socket.setNoDelay(wanted.noDelay);
    socket.setKeepAlive(wanted.keepAlive, KEEP_ALIVE_MS);
    socket.on("error", (error) => {
      this.socketError ??= error;
    });
    socket.on("close", () => {
      const reason = this.socketError ? describeError(this.socketError) : "closed by the broker";
      this.fail(kafkaErrors.LOST({ target: this.target, reason }, { cause: this.socketError }));
    });
    return socket;
  }

  private head({ apiKey, version, body }: RawRequest, correlationId: number, flexible: boolean): Buffer {
    const head = Buffer.allocUnsafe(14 + this.clientId.length + (flexible ? 1 : 0));
    const size = body.reduce((sum, part) => sum + part.length, head.length - 4);
    head.writeInt32BE(size, 0);
    head.writeInt16BE(apiKey, 4);
    head.writeInt16BE(version, 6);
    head.writeInt32BE(correlationId, 8);
    head.writeInt16BE(this.clientId.length, 12);
    this.clientId.copy(head, 14);
    if (flexible) head[head.length - 1] = 0;
    return head;
  }
}

class NotTaken extends Error {}

/** Waits until the system has taken what was written, for so long. */
class Departure {
  readonly done: Promise<void>;
  readonly left: (error?: Error | null) => void;
  private readonly limit: NodeJS.Timeout;

  constructor(limitMs: number) {
    let settle: { readonly resolve: () => void; readonly reject: (error: Error) => void };
    this.done = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.done.catch(() => {});
    this.left = (error) => (error ? settle.reject(error) : settle.resolve());
    this.limit = setTimeout(() => settle.reject(new NotTaken(`it took nothing for ${limitMs} ms`)), limitMs);
  }

  end(): void {
    clearTimeout(this.limit);
  }
}

function openSocket(wanted: Parameters<SocketFactory>[0], settings: ConnectionSettings): Socket {
  const { host, port, ssl, onConnect } = wanted;
  const { family } = settings.socket;
  if (!ssl) return connect({ host, port, family }, onConnect);
  const servername = isIP(host) ? {} : { servername: host };
  return connectTls({ host, port, family, ...servername, ...ssl } as unknown as ConnectionOptions, onConnect);
}
