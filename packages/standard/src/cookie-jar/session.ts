import type { Message, MessageBatch, Metadata } from "@mqb/core/plugin";
import { withMetadata } from "../batch/with-metadata.ts";
import type { CookieJarSettings } from "./config.ts";
import type { Jar } from "./jar.ts";

/** What a jar does with the metadata that passes it. */
export class Session {
  private readonly settings: CookieJarSettings;
  private readonly jar: Jar;

  constructor(settings: CookieJarSettings, jar: Jar) {
    this.settings = settings;
    this.jar = jar;
  }

  /** Takes what messages bring, one after another, and gives each what the jar holds by then. */
  pass(batch: MessageBatch): MessageBatch {
    let isChanged = false;
    const changed = new Array<Metadata | undefined>(batch.length);
    for (let i = 0; i < batch.length; i++) {
      const metadata = batch.metadata(i);
      this.take(metadata);
      changed[i] = this.given(metadata);
      isChanged ||= changed[i] !== undefined;
    }
    return isChanged ? withMetadata(batch, (index) => changed[index]) : batch;
  }

  /** An answer: it brings cookies, and is given what `export_metadata_prefix` asks for. */
  answer(message: Message): Message {
    this.take(message.metadata);
    const exported = this.exported();
    return exported.length > 0 ? message.with({ metadata: exported }) : message;
  }

  private take(metadata: Metadata): void {
    if (metadata.size === 0) return;
    const { cookie_metadata_key, set_cookie_metadata_key, capture_metadata_keys, max_cookies: most } = this.settings;
    const sent = metadata.get(cookie_metadata_key);
    if (sent !== undefined) this.jar.takeCookies(sent, most);
    const set = metadata.get(set_cookie_metadata_key);
    if (set !== undefined) this.jar.setCookies(set, most);
    for (const key of capture_metadata_keys) {
      const value = metadata.get(key);
      if (value !== undefined) this.jar.keep(key, value, most);
    }
  }

  /** The metadata with what the jar adds; undefined = nothing. */
  private given(metadata: Metadata): Metadata | undefined {
    const added: (readonly [string, string])[] = this.exported();
    const cookies = this.jar.header();
    if (cookies !== undefined) added.push([this.settings.cookie_metadata_key, cookies]);
    for (const [key, name] of Object.entries(this.settings.inject_metadata)) {
      const value = metadata.has(key) ? undefined : this.jar.find(name);
      if (value !== undefined) added.push([key, value]);
    }
    return added.length > 0 ? new Map([...metadata, ...added]) : undefined;
  }

  private exported(): (readonly [string, string])[] {
    const { export_metadata_prefix: prefix } = this.settings;
    if (prefix == null) return [];
    return Array.from(this.jar.all(), ([name, value]) => [prefix + name, value] as const);
  }
}
