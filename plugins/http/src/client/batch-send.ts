import { ACCEPTED, failed, type MessageBatch, type Outcome, replied } from "@mqb/core/plugin";
import { tlsFailure } from "@mqb/tls";
import { codeOfSystem, errors, reasonOf } from "../errors.ts";
import { CODINGS, codingsOf, TooLarge } from "../wire/codings.ts";
import { AnswerTooLarge, type BodySink, ClientExchange, type ExchangeEvents } from "./exchange.ts";
import { judgeStatus } from "./judge.ts";
import type { HttpPublisher } from "./publisher.ts";
import { ReplySource } from "./response.ts";
import { StreamedAnswer } from "./streamed-answer.ts";
import { methodOf, pathOf } from "./target.ts";

/** Methods that have the same effect when they are sent twice. */
const SAFE_AGAIN: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
/** The server closed a connection that was kept, while a request was on its way. */
const CUT: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

const ARGUMENT: ReadonlySet<string> = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"]);

/** The requests of one batch. One promise for all of them. */
export class BatchSend implements ExchangeEvents {
  private readonly batch: MessageBatch;
  private readonly signal: AbortSignal;
  private readonly publisher: HttpPublisher;
  private readonly outcomes: Outcome[];
  private readonly flights = new Set<ClientExchange>();
  private next = 0;
  private filling = false;
  private open: number;
  private stop: Error | undefined;
  private trouble: string | undefined;
  private resolve!: (outcomes: readonly Outcome[]) => void;

  constructor(batch: MessageBatch, signal: AbortSignal, publisher: HttpPublisher) {
    this.batch = batch;
    this.signal = signal;
    this.publisher = publisher;
    this.outcomes = new Array<Outcome>(batch.length);
    this.open = batch.length;
  }

  run(): Promise<readonly Outcome[]> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      if (this.signal.aborted) return this.aborted();
      this.signal.addEventListener("abort", this.aborted, { once: true });
      this.fill();
    });
  }

  /** Fails what is not answered yet. */
  giveUp(error: Error): void {
    this.stop = error;
    for (const flight of [...this.flights]) {
      flight.abort(error);
      // Its answer may be whole, and its items not taken yet.
      if (flight.sink instanceof StreamedAnswer) flight.sink.giveUp(error);
    }
    while (this.next < this.batch.length) this.settle(this.next++, failed(error));
  }

  started(exchange: ClientExchange): BodySink | undefined {
    const { stream, maxAnswerBytes, passThroughStatus, target } = this.publisher.settings;
    const isGood = exchange.status < 300 || passThroughStatus;
    if (!stream || !isGood) return undefined;
    const done = (outcome: Outcome): void => this.landed(exchange, outcome);
    const { batch, signal } = this;
    const { clock } = this.publisher;
    return new StreamedAnswer(exchange, {
      batch,
      stream,
      limit: maxAnswerBytes,
      signal,
      clock,
      shown: target.shown,
      done,
    });
  }

  ended(exchange: ClientExchange): void {
    if (exchange.sink instanceof StreamedAnswer) {
      exchange.sink.end();
      return;
    }
    const { body, headers } = exchange;
    const encoding = headers["content-encoding"];
    const codings = encoding === undefined || !this.publisher.settings.compress ? [] : codingsOf(encoding);
    if (codings.length === 0 || body.length === 0 || codings.some((one) => !CODINGS.has(one))) {
      this.answered(exchange, body, false);
      return;
    }
    const { codings: codecs, maxAnswerBytes, target } = this.publisher.settings;
    codecs.decode(body, codings, maxAnswerBytes).then(
      (plain) => this.answered(exchange, plain, true),
      (error: unknown) => {
        const reason = error instanceof TooLarge ? error.message : `it cannot be decompressed: ${reasonOf(error)}`;
        this.landed(exchange, failed(errors.BAD_RESPONSE({ target: target.shown, reason }, { cause: error })));
      },
    );
  }

  failed(exchange: ClientExchange, error: unknown): void {
    if (exchange.sink instanceof StreamedAnswer) {
      if (error === this.stop) exchange.sink.giveUp(error);
      else exchange.sink.fail(this.coded(exchange, error));
      return;
    }
    const { settings } = this.publisher;
    const mayRepeat = settings.repeatable || SAFE_AGAIN.has(exchange.method);
    const isCut = exchange.status === 0 && CUT.has(codeOfSystem(error) ?? "");
    if (isCut && mayRepeat && !exchange.again && !this.stop) {
      this.drop(exchange);
      this.start(exchange.index, true);
      return;
    }
    this.landed(exchange, failed(this.coded(exchange, error)));
  }

  /** Starts as many requests as there may be at a time. */
  private fill(): void {
    // One that fails at once is settled within this loop, which goes on by itself.
    if (this.filling) return;
    this.filling = true;
    const { length } = this.batch;
    const { concurrency } = this.publisher.settings;
    while (this.next < length && !this.stop && this.next - (length - this.open) < concurrency) this.start(this.next++);
    this.filling = false;
  }

  private start(index: number, again = false): void {
    const { settings } = this.publisher;
    const payload = this.batch.payload(index);
    const { compress } = settings;
    if (!compress || payload.length < compress.from) {
      this.request(index, payload, [], again);
      return;
    }
    settings.codings.encode(payload, compress.codec).then(
      (body) => this.request(index, body, [["content-encoding", compress.codec]], again),
      (error: unknown) => this.settle(index, failed(error)),
    );
  }

  private request(index: number, body: Uint8Array, coding: [string, string][], again: boolean): void {
    if (this.stop) {
      this.settle(index, failed(this.stop));
      return;
    }
    const { settings, clock } = this.publisher;
    const metadata = this.batch.metadata(index);
    let exchange: ClientExchange | undefined;
    try {
      const method = methodOf(metadata, settings.method, settings.target);
      const signed = settings.sign?.(body, this.batch.id(index), clock.now()) ?? [];
      const headers = settings.headers.of(this.batch, index, [...coding, ...signed]);
      const request = { index, method, path: pathOf(metadata, settings.target), since: clock.monotonic() };
      exchange = new ClientExchange(request, settings.maxAnswerBytes, this);
      exchange.again = again;
      this.flights.add(exchange);
      this.publisher.dispatch(exchange, headers, body);
    } catch (error) {
      const reason = reasonOf(error);
      const { shown } = settings.target;
      const thrown = isArgument(error) ? errors.BAD_REQUEST({ target: shown, reason }, { cause: error }) : error;
      if (exchange) this.landed(exchange, failed(thrown));
      else this.settle(index, failed(thrown));
    }
  }

  private answered(exchange: ClientExchange, body: Uint8Array, wasDecoded: boolean): void {
    const { status, headers, index, method } = exchange;
    const { passThroughStatus, target, stream } = this.publisher.settings;
    const answered = { method, target: this.shown(exchange), status, headers, body };
    const error = passThroughStatus ? undefined : judgeStatus(answered, this.publisher.clock.now());
    if (error) this.trouble = `${target.shown} answers with ${status}`;
    if (error) {
      this.landed(exchange, failed(error));
      return;
    }
    if (stream) {
      this.landed(exchange, ACCEPTED);
      return;
    }
    const request = { batch: this.batch, index };
    this.landed(exchange, replied(new ReplySource(request, status, headers, body, wasDecoded).message()));
  }

  private coded(exchange: ClientExchange, error: unknown): unknown {
    const { target, tls } = this.publisher.settings;
    if (error === this.stop || codeOfSystem(error)?.startsWith("MQB_")) return error;
    const shown = target.shown;
    const reason = reasonOf(error);
    if (error instanceof AnswerTooLarge) return errors.BAD_RESPONSE({ target: shown, reason }, { cause: error });
    if (isArgument(error)) return errors.BAD_REQUEST({ target: shown, reason }, { cause: error });
    this.trouble = `${shown}: ${reason}`;
    const wrong = target.secure ? tlsFailure(error, new URL(target.origin).host, tls) : undefined;
    if (wrong) return wrong;
    const row = exchange.status === 0 ? errors.UNREACHABLE : errors.BROKEN_OFF;
    return row({ target: shown, reason }, { cause: error });
  }

  private shown({ path }: ClientExchange): string {
    return this.publisher.settings.target.origin + path.replace(/\?.*$/s, "");
  }

  private drop(exchange: ClientExchange): void {
    this.flights.delete(exchange);
    this.publisher.landed(exchange);
  }

  private landed(exchange: ClientExchange, outcome: Outcome): void {
    this.drop(exchange);
    this.settle(exchange.index, outcome);
  }

  private settle(index: number, outcome: Outcome): void {
    this.outcomes[index] = outcome;
    this.open -= 1;
    if (this.open === 0) {
      this.signal.removeEventListener("abort", this.aborted);
      this.publisher.finished(this, this.trouble);
      this.resolve(this.outcomes);
    } else this.fill();
  }

  private readonly aborted = (): void => {
    this.giveUp(errors.GIVEN_UP({ target: this.publisher.settings.target.shown }, { cause: this.signal.reason }));
  };
}

/** The driver cannot make a request of it, now or later. */
function isArgument(error: unknown): boolean {
  return ARGUMENT.has(codeOfSystem(error) ?? "");
}
