import { type Clock, describeError, idToBytes, type Logger, type MessageBatch, type MqbError } from "@mqb/core/plugin";
import { CODE, isFinal, nameOf, refusal } from "../classify.ts";
import type { KafkaClient } from "../client/client.ts";
import { kafkaErrors } from "../errors.ts";
import type { ProducerOptions } from "../options/producer.ts";
import type { Outcomes } from "../publisher/outcomes.ts";
import type { BatchWriter } from "../publisher/publisher.ts";
import { exactHeaders, shownText } from "../wire/exact-headers.ts";
import { ID_HEADER, isReserved, TOMBSTONE } from "../wire/names.ts";
import { RD, type RdkafkaError, type RdkafkaOffset, type RdkafkaProducerHandle } from "./driver.ts";

/** A batch whose reports are awaited. */
interface Sending {
  readonly outcomes: Outcomes;
  readonly batch: MessageBatch;
  left: number;
  readonly done: () => void;
}

interface Report extends RdkafkaOffset {
  readonly opaque: Place;
}

class Place {
  readonly sending: Sending;
  readonly position: number;

  constructor(sending: Sending, position: number) {
    this.sending = sending;
    this.position = position;
  }
}

const FLUSH_MS = 200;
/** Without a report for so long somebody looks whether there is a broker. */
const QUIET_MS = 1000;
/** No bytes, at a place: for the library no place is a null value. */
const EMPTY = Buffer.alloc(1).subarray(0, 0);
const TOO_LARGE: readonly number[] = [CODE.MESSAGE_TOO_LARGE, CODE.RECORD_LIST_TOO_LARGE];

/** Gives messages to librdkafka and waits for its reports. It repeats by itself what it has no answer for. */
export class RdkafkaWriter implements BatchWriter {
  readonly target: string;
  readonly queuedBytes: number;
  trouble: string | undefined;
  private readonly client: KafkaClient;
  private readonly handle: RdkafkaProducerHandle;
  private readonly topic: string;
  private readonly keyField: string | undefined;
  private readonly repeatTimeoutMs: number;
  private readonly sendings = new Set<Sending>();
  private readonly log: Logger;
  private warned = false;
  private isFlushing = false;
  private looks = false;
  private downSince: number | undefined;
  /** When the last report came, or the first message that waits for one. */
  private heardAt = 0;
  private closing: Promise<void> | undefined;

  constructor(
    client: KafkaClient,
    handle: RdkafkaProducerHandle,
    options: ProducerOptions,
    place: { readonly topic: string; readonly keyField: string | undefined; readonly log: Logger },
  ) {
    this.log = place.log;
    this.client = client;
    this.handle = handle;
    this.target = client.target;
    this.queuedBytes = options.queuedBytes;
    this.repeatTimeoutMs = options.repeatTimeoutMs;
    this.topic = place.topic;
    this.keyField = place.keyField;
    handle.on("delivery-report", (error: RdkafkaError | null, report: Report) => this.reported(error, report));
    handle.on("event.error", (error: RdkafkaError) => this.met(error));
  }

  get clock(): Clock {
    return this.client.clock;
  }

  write(batch: MessageBatch, outcomes: Outcomes): Promise<void> {
    return new Promise((done) => {
      if (this.sendings.size === 0) this.heardAt = this.clock.monotonic();
      const sending: Sending = { outcomes, batch, left: batch.length, done };
      this.sendings.add(sending);
      for (let i = 0; i < batch.length; i++) {
        const failure = this.produce(batch, i, sending);
        if (failure) this.settle(new Place(sending, i), failure);
      }
      if (batch.length === 0) this.end(sending);
      this.flush();
    });
  }

  close(): Promise<void> {
    return (this.closing ??= new Promise((resolve) => {
      this.fail(kafkaErrors.CLOSED({ what: "output" }));
      this.client.close();
      this.handle._disconnect(() => resolve());
    }));
  }

  private produce(batch: MessageBatch, i: number, sending: Sending): MqbError | undefined {
    const metadata = batch.metadata(i);
    const id = Buffer.from(idToBytes(batch.id(i)));
    const headers: Record<string, string>[] = [{ [ID_HEADER]: id.toString("hex") }];
    for (const [name, value] of exactHeaders(metadata) ?? metadata) {
      if (isReserved(name) || name === TOMBSTONE) continue;
      const text = typeof value === "string" ? value : this.textFor(name, value);
      if (name.includes("\0") || text.includes("\0")) return kafkaErrors.ENGINE_HEADER({ topic: this.topic, name });
      headers.push({ [name]: text });
    }
    const written = this.keyField === undefined ? undefined : metadata.get(this.keyField);
    const payload = batch.payload(i);
    const value = payload.length === 0 ? EMPTY : Buffer.from(payload.buffer, payload.byteOffset, payload.length);
    try {
      const isNull = metadata.get(TOMBSTONE) === "true";
      const key = written === undefined ? id : written === "" ? EMPTY : Buffer.from(written);
      this.handle.produce(this.topic, -1, isNull ? null : value, key, undefined, new Place(sending, i), headers);
      return undefined;
    } catch (error) {
      return this.errorOf(error as RdkafkaError, -1, value.length);
    }
  }

  /** The library writes text only: the first header that is none is told of. */
  private textFor(name: string, value: Buffer | null): string {
    const text = shownText(value);
    if (!this.warned && !(value && Buffer.from(text).equals(value))) {
      this.warned = true;
      const { topic } = this;
      this.log.warn(
        `the header "${name}" is ${value ? "no text" : "null"}, and node-rdkafka writes headers as text: it is not the same in "${topic}"; leave \`engine\` out to keep it`,
        { topic },
      );
    }
    return text;
  }

  private reported(error: RdkafkaError | null, { opaque: place, partition }: Report): void {
    this.heardAt = this.clock.monotonic();
    if (!error) {
      this.downSince = undefined;
      this.trouble = undefined;
      this.settle(place, undefined);
      return;
    }
    const { batch } = place.sending;
    this.settle(place, this.errorOf(error, partition, batch.payload(place.position).length));
  }

  private settle({ sending, position }: Place, error: MqbError | undefined): void {
    sending.outcomes.set([position], error);
    sending.left -= 1;
    if (sending.left === 0) this.end(sending);
  }

  private end(sending: Sending): void {
    if (this.sendings.delete(sending)) sending.done();
  }

  private fail(error: MqbError): void {
    for (const sending of [...this.sendings]) {
      sending.outcomes.fail(error);
      this.end(sending);
    }
  }

  /** Reports come while somebody flushes: in a thread of its own, one at a time. */
  private flush(): void {
    if (this.isFlushing || this.closing || this.sendings.size === 0) return;
    this.isFlushing = true;
    this.handle.flush(FLUSH_MS, () => {
      this.isFlushing = false;
      const { downSince } = this;
      const now = this.clock.monotonic();
      if (downSince !== undefined && now - downSince > this.repeatTimeoutMs)
        this.fail(kafkaErrors.LOST({ target: this.target, reason: this.trouble ?? "no broker answers" }));
      else if (now - this.heardAt > QUIET_MS) this.lookAround();
      this.flush();
    });
  }

  private met(error: RdkafkaError): void {
    if (error.isFatal) this.fail(kafkaErrors.LOST({ target: this.target, reason: error.message }));
  }

  /** With no broker left for a while the route has to know; the library would try for ever. */
  private lookAround(): void {
    if (this.looks || this.closing) return;
    this.looks = true;
    this.client
      .topics([this.topic])
      .then(
        () => {
          this.downSince = undefined;
          this.trouble = undefined;
        },
        (error: unknown) => {
          this.downSince ??= this.clock.monotonic();
          this.trouble = describeError(error);
        },
      )
      .finally(() => {
        this.looks = false;
      });
  }

  private errorOf({ code, message }: RdkafkaError, partition: number, bytes: number): MqbError {
    const { topic } = this;
    if (TOO_LARGE.includes(code)) return kafkaErrors.TOO_LARGE({ topic, bytes });
    if (code === RD.MSG_TIMED_OUT && this.downSince !== undefined)
      return kafkaErrors.LOST({ target: this.target, reason: message });
    const reason = code > 0 ? nameOf(code) : message;
    const refused = refusal(code, `to write to the topic "${topic}"`);
    if (refused) return refused;
    if (code === CODE.INVALID_TIMESTAMP) return kafkaErrors.CLOCK({ topic });
    const isRefused = isFinal(code) || code === CODE.INVALID_RECORD;
    return isRefused
      ? kafkaErrors.REFUSED({ topic, partition, reason })
      : kafkaErrors.NOT_STORED({ topic, partition, reason });
  }
}
