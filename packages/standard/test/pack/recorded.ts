import { readFileSync } from "node:fs";
import { Message } from "@mqb/core/plugin";
import type { PackConfig } from "../../src/pack/config.ts";

/** What the original has made of messages: both sides as they stood in files. */
export interface Recorded {
  readonly name: string;
  readonly config: PackConfig;
  readonly messages: readonly Message[];
  readonly packed: readonly Message[];
}

const CONFIGS: Readonly<Record<string, PackConfig>> = {
  "146-pack-mqb": { format: "mqb" },
  "147-pack-benthos_binary": { format: "benthos_binary" },
  "149-pack-max-messages": { max_messages: 3 },
  "150-pack-long-meta": {},
  "302-pack-200-messages": {},
};

export const RECORDED: readonly Recorded[] = Object.entries(CONFIGS).map(([name, config]) => ({
  name,
  config,
  messages: read(`${name}.input.jsonl`),
  packed: read(`${name}.output.jsonl`),
}));

interface Envelope {
  readonly message_id: string;
  readonly payload?: string;
  readonly payload_base64?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

function read(file: string): Message[] {
  const lines = readFileSync(new URL(`recorded/${file}`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => {
    const { message_id: id, payload, payload_base64: base64, metadata = {} } = JSON.parse(line) as Envelope;
    return new Message(payload ?? Buffer.from(base64!, "base64"), new Map(Object.entries(metadata)), id);
  });
}
