import {
  ACCEPTED,
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  defineEndpoint,
  type EndpointDefinition,
  type EndpointStatus,
  failed,
  type InputCapabilities,
  type MaybePromise,
  type Message,
  MqbError,
  type OpenContext,
  type Outcome,
  type OutputCapabilities,
  type Publisher,
  replied,
} from "@mqb/core/plugin";
import { type Body, describe, isMessage, messageOf } from "../body.ts";
import { errors } from "../errors.ts";
import { ANY_CONFIG, type FactoryContext, factoryContext } from "./factory.ts";

/**
 * An endpoint made of functions. A source has `receiveBatch`, a sink `sendBatch`. A throw with a boolean `retryable` member is
 * retryable or permanent by it; any other makes the route reconnect (a source) or is retryable (a sink).
 */
export interface CodeEndpoint {
  /**
   * The next messages, at most `max`. Nothing or an empty list = nothing for now, which a drain takes for the end; throwing
   * an `EndOfStream` = the source is finished. When `signal` aborts (the route stops or closes
   * it) it should resolve soon. Never called twice at a time.
   */
  receiveBatch?(max: number, signal: AbortSignal): MaybePromise<Iterable<Body> | null | undefined>;
  /** Settles a batch: one word per message of it. Called once for each that had any, in their order. */
  commit?(dispositions: readonly ("ack" | "nack")[], messages: readonly Message[]): MaybePromise<void>;
  /**
   * Takes messages. Returns nothing when all are accepted, else a list with an entry per message: nothing (accepted), a
   * `Message` (the answer to it), or an `Error` (it has failed). A throw fails all of them.
   */
  sendBatch?(
    messages: readonly Message[],
    signal: AbortSignal,
    // biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return has a promise of void
  ): MaybePromise<readonly SendResult[] | null | undefined | void>;
  flush?(): MaybePromise<void>;
  status?(): EndpointStatus;
  /** Called once, also when the endpoint could not be used for its side. */
  close?(): MaybePromise<void>;
}

export type SendResult = Message | Error | null | undefined;

/** Called at each opening, once per place in a route that names the endpoint. */
export type EndpointFactory<Config = unknown> = (
  route: string,
  config: Config,
  context: FactoryContext,
) => MaybePromise<CodeEndpoint>;

/** What the endpoint can do, where that is not what is assumed. */
export interface EndpointOptions {
  readonly description?: string;
  /** [acknowledges, commits in order, knows its end; the rest not] */
  readonly input?: Partial<InputCapabilities>;
  /** [acknowledges, can answer; the rest not] */
  readonly output?: Partial<OutputCapabilities>;
}

/** Thrown by `receiveBatch`: the source is finished for good. */
export class EndOfStream extends MqbError {
  constructor() {
    const { code, kind, message } = errors.END_OF_STREAM({});
    super(code, kind, message);
  }
}

const INPUT: InputCapabilities = {
  acknowledges: true,
  commitsInOrder: true,
  replies: false,
  stableIds: false,
  replayablePosition: false,
  bounded: true,
};
const OUTPUT: OutputCapabilities = { acknowledges: true, replies: true, orderedPublish: false, idempotent: false };

export function endpointOf(name: string, factory: EndpointFactory, options: EndpointOptions = {}): EndpointDefinition {
  const open = async (config: unknown, context: OpenContext, method: "receiveBatch" | "sendBatch") => {
    const made = await factory(context.route, config, factoryContext(context));
    if (typeof made !== "object" || made === null) throw errors.NO_OBJECT({ name, what: describe(made) });
    if (typeof made[method] !== "function") {
      await made.close?.();
      throw errors.NO_METHOD({ endpoint: name, side: context.side, method });
    }
    return made;
  };
  return defineEndpoint({
    description: options.description ?? "Made by code of the host",
    schema: ANY_CONFIG,
    input: {
      capabilities: () => ({ ...INPUT, ...options.input }),
      open: async (config, context) => new CodeConsumer(name, await open(config, context, "receiveBatch")),
    },
    output: {
      capabilities: () => ({ ...OUTPUT, ...options.output }),
      open: async (config, context) => new CodePublisher(name, await open(config, context, "sendBatch")),
    },
  });
}

class CodeEnd {
  protected readonly name: string;
  protected readonly code: CodeEndpoint;
  private closing: Promise<void> | undefined;

  constructor(name: string, code: CodeEndpoint) {
    this.name = name;
    this.code = code;
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  status(): EndpointStatus {
    return this.code.status?.() ?? { healthy: this.closing === undefined, target: this.name };
  }

  private async shut(): Promise<void> {
    await this.code.close?.();
  }
}

class CodeConsumer extends CodeEnd implements Consumer {
  private waiting: AbortController | undefined;

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    const messages = await this.next(max, signal);
    if (messages.length > max) throw errors.TOO_MANY({ endpoint: this.name, asked: max, got: messages.length });
    return {
      batch: batchOf(messages),
      commit: async (dispositions) => {
        if (messages.length > 0) await this.code.commit?.(wordsOf(messages.length, dispositions), messages);
      },
    };
  }

  /** Ends a wait first. */
  override close(): Promise<void> {
    this.waiting?.abort();
    return super.close();
  }

  private async next(max: number, signal: AbortSignal): Promise<Message[]> {
    const waiting = new AbortController();
    const stop = (): void => waiting.abort(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    this.waiting = waiting;
    try {
      const given = listOf(await this.code.receiveBatch!(max, waiting.signal), this.name);
      return Array.from(given, (body) => messageOf(body, `receiveBatch of "${this.name}"`));
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

/** A text and bytes can be gone through as well, but each is one message and not a list of them. */
function listOf(given: unknown, endpoint: string): Iterable<unknown> {
  if (given === undefined || given === null) return [];
  if (typeof given === "object" && Symbol.iterator in given && !ArrayBuffer.isView(given))
    return given as Iterable<unknown>;
  throw errors.NO_LIST({ endpoint, what: describe(given) });
}

function wordsOf(length: number, dispositions: readonly Disposition[] | undefined): ("ack" | "nack")[] {
  return Array.from({ length }, (_, i) => (dispositions?.[i]?.type === "nack" ? "nack" : "ack"));
}

class CodePublisher extends CodeEnd implements Publisher {
  async send(batch: Iterable<Message>, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    const messages = [...batch];
    if (messages.length === 0) return undefined;
    const results = await this.code.sendBatch!(messages, signal);
    if (results === undefined || results === null) return undefined;
    if (!Array.isArray(results) || results.length !== messages.length) {
      throw errors.WRONG_COUNT({
        name: this.name,
        method: "sendBatch",
        expected: messages.length,
        got: describe(results),
      });
    }
    return (results as readonly SendResult[]).map((result) => this.outcomeOf(result));
  }

  async flush(): Promise<void> {
    await this.code.flush?.();
  }

  private outcomeOf(result: SendResult): Outcome {
    if (result === undefined || result === null) return ACCEPTED;
    if (isMessage(result)) return replied(result);
    return failed(result);
  }
}
