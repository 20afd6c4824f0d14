import { Message, type Outcome, type Publisher, replied } from "@mqb/core/plugin";
import type { Template } from "../template/template.ts";
import type { StaticSettings } from "./config.ts";

/** Answers every message with the body. */
export function staticPublisher(template: Template, { raw, metadata }: StaticSettings): Publisher {
  const pairs = new Map(Object.entries(metadata));
  const encode = (text: string): Buffer => Buffer.from(raw ? text : JSON.stringify(text));
  const constant = template.constant === undefined ? undefined : encode(template.constant);
  return {
    async send(batch) {
      const outcomes = new Array<Outcome>(batch.length);
      for (let i = 0; i < batch.length; i++) {
        const payload = constant ?? encode(template.render(batch, i));
        outcomes[i] = replied(new Message(payload, pairs, batch.id(i)));
      }
      return outcomes;
    },
    close: async () => {},
    status: () => ({ healthy: true, target: "static" }),
  };
}
