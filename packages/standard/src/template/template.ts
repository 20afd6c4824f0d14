import { asBuffer, type Clock, freshId, type MessageBatch } from "@mqb/core/plugin";
import { PayloadFields } from "./payload-fields.ts";
import { parseTemplate, type Segment, type Token } from "./token.ts";

export interface TemplateOptions {
  /** Values taken from messages are escaped for use inside a JSON string, unless the token says `| raw`. */
  readonly json?: boolean;
  readonly clock: Clock;
  /** Where `${env:…}` looks, once, when the template is compiled. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The number that `${gen:counter}` gives next; kept by the caller, so that it may outlive the template. */
  readonly counter: { next: number };
}

/**
 * A text with `${namespace:selector}` tokens, compiled once and rendered for each message. Compiling throws a `config`
 * error for a malformed token, an unknown selector or filter, and an environment variable that is not set.
 */
export class Template {
  private readonly segments: readonly Segment[];
  private readonly options: TemplateOptions;
  private readonly fields: PayloadFields | undefined;
  /** For each segment, which of the fields it is. */
  private readonly fieldOf: readonly number[];

  constructor(text: string, options: TemplateOptions) {
    this.segments = parseTemplate(text, options.env);
    this.options = options;
    const paths: (readonly string[])[] = [];
    this.fieldOf = this.segments.map((segment) => {
      const isField = typeof segment !== "string" && segment.source.from === "payload";
      return isField ? paths.push(segment.source.path) - 1 : -1;
    });
    if (paths.length > 0) this.fields = new PayloadFields(paths);
  }

  /** The text of a template whose result never changes; undefined when it has tokens. */
  get constant(): string | undefined {
    if (this.segments.length === 0) return "";
    const [only] = this.segments;
    return this.segments.length === 1 && typeof only === "string" ? only : undefined;
  }

  /** Whether the result depends on messages only, so that it is the same when a message is delivered again. */
  get repeatable(): boolean {
    return this.segments.every(
      (segment) => typeof segment === "string" || ["payload", "metadata", "id", "body"].includes(segment.source.from),
    );
  }

  /** The text for a message, or for none; a value that is not there is the empty text. */
  render(batch?: MessageBatch, index = 0): string {
    if (batch) this.fields?.look(batch, index);
    let text = "";
    for (let i = 0; i < this.segments.length; i++) {
      const segment = this.segments[i]!;
      text += typeof segment === "string" ? segment : (this.value(segment, i, batch, index) ?? "");
    }
    return text;
  }

  /**
   * As `render`, but undefined as soon as one value is not there, or is null: for keys and identities, which must not be
   * guessed.
   */
  resolve(batch: MessageBatch, index: number): string | undefined {
    this.fields?.look(batch, index);
    let text = "";
    for (let i = 0; i < this.segments.length; i++) {
      const segment = this.segments[i]!;
      const part = typeof segment === "string" ? segment : this.value(segment, i, batch, index);
      if (part === undefined || part === null) return undefined;
      text += part;
    }
    return text;
  }

  /** Whether `resolve` gives a text, without making it. For templates that are `repeatable`. */
  resolves(batch: MessageBatch, index: number): boolean {
    this.fields?.look(batch, index);
    for (let i = 0; i < this.segments.length; i++) {
      const segment = this.segments[i]!;
      if (typeof segment === "string") continue;
      const { source } = segment;
      if (source.from === "payload" && !this.fields!.has(this.fieldOf[i]!)) return false;
      if (source.from === "metadata" && !batch.metadata(index).has(source.key)) return false;
    }
    return true;
  }

  /** Undefined when it is not there, null when it is null. */
  private value(
    { source, filter }: Token,
    segment: number,
    batch: MessageBatch | undefined,
    index: number,
  ): string | null | undefined {
    const { clock, counter } = this.options;
    switch (source.from) {
      case "payload": {
        const value = batch && this.fields!.text(this.fieldOf[segment]!);
        return typeof value === "string" ? this.fromMessage(value, filter) : value;
      }
      case "metadata": {
        const value = batch?.metadata(index).get(source.key);
        return value === undefined ? undefined : this.fromMessage(value, filter);
      }
      case "id":
        return batch && this.fromMessage(batch.id(index), filter);
      case "body": {
        if (!batch) return undefined;
        const payload = asBuffer(batch.payload(index));
        if (filter === "base64") return payload.toString("base64");
        return this.fromMessage(payload.toString("utf8"), filter);
      }
      case "uuid":
        return generated(freshId(), filter);
      case "now":
        return generated(new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z"), filter);
      case "timestamp":
        return generated(String(clock.now()), filter);
      case "counter":
        return generated(String(counter.next++), filter);
      case "random":
        return generated(String(source.min + Math.floor(Math.random() * (source.max - source.min + 1))), filter);
    }
  }

  private fromMessage(value: string, filter: Token["filter"]): string {
    if (filter === "base64") return Buffer.from(value).toString("base64");
    return this.options.json && filter !== "raw" ? JSON.stringify(value).slice(1, -1) : value;
  }
}

function generated(value: string, filter: Token["filter"]): string {
  return filter === "base64" ? Buffer.from(value).toString("base64") : value;
}
