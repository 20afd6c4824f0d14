import type { MqbError } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { lostBy } from "./classify.ts";
import type { Connection } from "./connection.ts";

/** How long the server may take to answer a request about streams and consumers. */
const ANSWER_MS = 5000;

/** Codes of the server (`err_code`). */
export const API = { streamNotFound: 10_059, consumerNotFound: 10_014, nameInUse: 10_058 } as const;

export interface StreamInfo {
  readonly config: {
    readonly name: string;
    readonly subjects?: readonly string[];
    readonly mirror?: object | null;
    readonly sources?: readonly object[] | null;
    readonly subject_transform?: object | null;
  };

  readonly state: { readonly messages: number; readonly last_seq: number };
  /** When the server answered. */
  readonly ts?: string;
}

export interface ConsumerConfig {
  readonly durable_name?: string;
  readonly deliver_policy: string;
  readonly opt_start_seq?: number;
  readonly ack_policy: string;
  /** Nanoseconds. */
  readonly ack_wait?: number;
  readonly filter_subject?: string;
  readonly filter_subjects?: readonly string[];
  readonly deliver_subject?: string;
  readonly replay_policy?: string;
  readonly max_ack_pending?: number;
  /** Nanoseconds. */
  readonly inactive_threshold?: number;
  /** Limits of what is asked of the consumer at once; `max_expires` in nanoseconds. */
  readonly max_batch?: number;
  readonly max_bytes?: number;
  readonly max_expires?: number;
  readonly [more: string]: unknown;
}

export interface ConsumerInfo {
  readonly name: string;
  readonly config: ConsumerConfig;
  readonly delivered: { readonly stream_seq: number };
  readonly num_ack_pending: number;
  readonly num_pending: number;
}

interface ApiError {
  readonly code: number;
  readonly err_code?: number;
  readonly description?: string;
}

/** A refusal of the server, with its code, before anybody says what it means for the endpoint. */
export class ApiRefusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor({ code, err_code: detail, description }: ApiError) {
    super(description ?? "no reason given");
    this.status = code;
    this.code = detail ?? code;
  }
}

/** Asks the server about streams and consumers. */
export class JetStreamApi {
  readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Undefined when there is none. */
  stream(name: string): Promise<StreamInfo | undefined> {
    return this.find<StreamInfo>(`STREAM.INFO.${name}`, API.streamNotFound, `look at the stream ${name}`);
  }

  /** The streams that hold a subject. */
  async streamsOf(subject: string): Promise<readonly string[]> {
    const what = `look for the stream of ${subject}`;
    const { streams } = await this.ask<{ streams?: readonly string[] | null }>("STREAM.NAMES", what, { subject });
    return streams ?? [];
  }

  async createStream(config: Readonly<Record<string, unknown>> & { readonly name: string }): Promise<void> {
    await this.ask(`STREAM.CREATE.${config.name}`, `make the stream ${config.name}`, config);
  }

  consumer(stream: string, name: string): Promise<ConsumerInfo | undefined> {
    const what = `look at the consumer ${name} of the stream ${stream}`;
    return this.find<ConsumerInfo>(`CONSUMER.INFO.${stream}.${name}`, API.consumerNotFound, what);
  }

  /** Makes or changes a durable consumer, or makes one that is gone after a while of silence when it has no name. */
  putConsumer(stream: string, config: ConsumerConfig): Promise<ConsumerInfo> {
    const { durable_name: name, filter_subject: filter } = config;
    // A filter with wildcards is no subject to send to.
    const named = name === undefined ? "" : `.${name}${filter && !/[*>]/.test(filter) ? `.${filter}` : ""}`;
    const what = `make the consumer ${name ?? `of ${filter}`} of the stream ${stream}`;
    return this.ask<ConsumerInfo>(`CONSUMER.CREATE.${stream}${named}`, what, {
      stream_name: stream,
      config,
      action: "",
    });
  }

  private async find<T>(api: string, absent: number, what: string): Promise<T | undefined> {
    try {
      return await this.ask<T>(api, what);
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      if (cause instanceof ApiRefusal && cause.code === absent) return undefined;
      throw error;
    }
  }

  private async ask<T>(api: string, what: string, request?: unknown): Promise<T> {
    const body = request === undefined ? new Uint8Array(0) : Buffer.from(JSON.stringify(request));
    let data: Uint8Array;
    try {
      ({ data } = await this.connection.nats.request(`$JS.API.${api}`, body, { timeout: ANSWER_MS }));
    } catch (cause) {
      throw this.noAnswer(cause, what);
    }
    const answer = JSON.parse(Buffer.from(data).toString("utf8")) as T & { readonly error?: ApiError };
    if (answer.error) throw this.refused(new ApiRefusal(answer.error), what);
    return answer;
  }

  private noAnswer(cause: unknown, what: string): MqbError {
    const { target, nats, end } = this.connection;
    if (end) return end;
    const { code } = (cause ?? {}) as { code?: string };
    if (code === "PERMISSIONS_VIOLATION") return errors.NOT_PERMITTED({ target, what }, { cause });
    if (code === "503") {
      // A server that is about to have it, or whose cluster has no leader at the moment, answers likewise.
      const enabled = (nats.info as { jetstream?: boolean } | undefined)?.jetstream === true;
      return enabled ? errors.API_BUSY({ target, what, reason: "nobody answers" }) : errors.NO_JETSTREAM({ target });
    }
    if (code === "TIMEOUT") return errors.API_BUSY({ target, what, reason: "it does not answer" }, { cause });
    return lostBy(cause, target);
  }

  private refused(refusal: ApiRefusal, what: string): MqbError {
    const { target } = this.connection;
    const { code, status, message: reason } = refusal;
    // JetStream is not enabled, on the server or for the account.
    if (code === 10_076 || code === 10_039) return errors.NO_JETSTREAM({ target }, { cause: refusal });
    if (status >= 500) return errors.API_BUSY({ target, what, reason }, { cause: refusal });
    return errors.API({ target, what, code, reason }, { cause: refusal });
  }
}
