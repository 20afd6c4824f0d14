import type { Socket } from "node:net";

/** What this package uses of kafkajs: its connection with SASL, and its requests with their versions. */
export interface Driver {
  readonly Connection: new (options: DriverConnectionOptions) => DriverConnection;
  readonly requests: Readonly<Record<ApiName, RequestDefinition>>;
  readonly apiKeys: Readonly<Record<ApiName, number>>;
  /** The newest version that both the driver and the broker know. Throws where there is none. */
  readonly lookup: (versions: ApiVersions) => (apiKey: number, definition: RequestDefinition) => RequestMaker;
}

export type ApiName =
  | "ApiVersions"
  | "Metadata"
  | "GroupCoordinator"
  | "JoinGroup"
  | "SyncGroup"
  | "Heartbeat"
  | "LeaveGroup"
  | "OffsetCommit"
  | "OffsetFetch"
  | "ListOffsets"
  | "CreateTopics"
  | "InitProducerId"
  | "AddPartitionsToTxn"
  | "AddOffsetsToTxn"
  | "EndTxn"
  | "SaslAuthenticate";

export type ApiVersions = Readonly<
  Record<number, { readonly minVersion: number; readonly maxVersion: number } | undefined>
>;

export interface RequestDefinition {
  readonly versions: readonly string[];
  readonly protocol: (version: { readonly version: number }) => RequestMaker;
}

export interface DriverRequest {
  readonly apiKey: number;
  readonly apiName: string;
  readonly apiVersion: number;
  readonly encode: () => unknown;
}

export type RequestMaker = (parameters?: object) => {
  readonly request: DriverRequest;
  readonly response: { readonly decode: (bytes: Buffer) => Promise<unknown> };
  readonly requestTimeout?: number;
};

export type SocketFactory = (options: {
  readonly host: string;
  readonly port: number;
  readonly ssl: object | null;
  readonly onConnect: () => void;
}) => Socket;

export interface DriverConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly logger: unknown;
  readonly socketFactory: SocketFactory;
  readonly ssl: object | null;
  readonly sasl: object | null;
  readonly clientId: string;
  readonly connectionTimeout: number;
  readonly requestTimeout: number;
  readonly maxInFlightRequests: number | null;
}

export interface DriverConnection {
  readonly socket?: Socket;
  readonly requestQueue: RequestQueue;
  connect(): Promise<boolean>;
  isConnected(): boolean;
  isAuthenticated(): boolean;
  setVersions(versions: ApiVersions): void;
  setSupportAuthenticationProtocol(isSupported: boolean): void;
  authenticate(): Promise<void>;
  nextCorrelationId(): number;
  send(call: {
    readonly request: object;
    readonly response: {
      readonly decode: (bytes: Buffer) => Promise<unknown>;
      readonly parse: (decoded: unknown) => unknown;
    };
    readonly requestTimeout: number | null;
    readonly logResponseError: boolean;
  }): Promise<unknown>;
}

/** A request that was sent and has no answer yet. */
interface SentRequest {
  sentAt: number | null;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

export interface RequestQueue {
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  requestTimeoutIntervalId: NodeJS.Timeout | null;
  readonly requestTimeout: number;
  readonly maxInFlightRequests: number | null;
  readonly pending: readonly unknown[];
  readonly inflight: ReadonlyMap<number, SentRequest>;
  maybeThrottle: (ms: number | null) => void;
  canSendSocketRequestImmediately: () => boolean;
  sendSocketRequest: (request: SentRequest) => void;
  scheduleRequestTimeoutCheck: () => void;
  scheduleCheckPendingRequests: () => void;
  readonly isConnected: () => boolean;
  checkPendingRequests(): void;
  rejectAll(error: Error): void;
  destroy(): void;
  push(request: {
    readonly entry: {
      readonly apiKey: number;
      readonly apiName: string;
      readonly apiVersion: number;
      readonly correlationId: number;
      readonly resolve: (answer: { readonly payload: Buffer }) => void;
      readonly reject: (error: Error) => void;
    };
    readonly expectResponse: boolean;
    readonly requestTimeout: number | null;
    readonly sendRequest: () => void;
  }): void;
}

const LEAST_DELAY_MS = 10;
const LONGEST_LOOK_MS = 100;

/** Loads kafkajs. Called when an endpoint opens, not before. */
export async function loadDriver(): Promise<Driver> {
  const [connection, requests, keys] = await Promise.all([
    import("kafkajs/src/network/connection.js"),
    import("kafkajs/src/protocol/requests/index.js"),
    import("kafkajs/src/protocol/requests/apiKeys.js"),
  ]);
  const protocol = requests.default as Pick<Driver, "requests" | "lookup">;
  return {
    Connection: connection.default as Driver["Connection"],
    requests: protocol.requests,
    lookup: protocol.lookup,
    apiKeys: keys.default as Driver["apiKeys"],
  };
}

/**
 * Mends two things in the queue of kafkajs 2.2.4. Once a request was held back, it arms a timer with a negative delay again and
 * again: a tenth of a core for an idle connection. This one is armed only while something waits. And it measures with the wall
 * clock: one that is set forward lets every request time out, one that is set back lets none, and what is throttled waits for as
 * long as the clock was set back.
 */
export function repairQueue(queue: RequestQueue): void {
  const { sendSocketRequest } = queue;
  const now = (): number => performance.now();
  queue.throttledUntil = Number.NEGATIVE_INFINITY;
  queue.maybeThrottle = (ms) => {
    if (ms !== null && ms > 0) queue.throttledUntil = Math.max(queue.throttledUntil, now() + ms);
  };
  queue.canSendSocketRequestImmediately = () => {
    const { maxInFlightRequests: most } = queue;
    return (most === null || queue.inflight.size < most) && queue.throttledUntil <= now();
  };
  queue.scheduleCheckPendingRequests = () => {
    if (queue.throttleCheckTimeoutId || queue.pending.length === 0) return;
    const delay = Math.max(queue.throttledUntil - now(), LEAST_DELAY_MS);
    queue.throttleCheckTimeoutId = setTimeout(() => {
      queue.throttleCheckTimeoutId = null;
      queue.checkPendingRequests();
    }, delay);
  };
  queue.sendSocketRequest = (request) => {
    sendSocketRequest.call(queue, request);
    request.sentAt = now();
  };
  queue.scheduleRequestTimeoutCheck = () => {
    queue.destroy();
    const look = (): void => {
      for (const request of [...queue.inflight.values()])
        if (now() - request.sentAt! > request.requestTimeout) request.timeoutRequest();
      if (!queue.isConnected()) queue.destroy();
    };
    queue.requestTimeoutIntervalId = setInterval(look, Math.min(queue.requestTimeout, LONGEST_LOOK_MS));
  };
}

const silent = (): void => {};

/** kafkajs prints what it meets; here every failure becomes an error of the endpoint instead. */
export const SILENT_LOGGER = {
  namespace: (): unknown => SILENT_LOGGER,
  info: silent,
  error: silent,
  warn: silent,
  debug: silent,
};
