import {
  batchOf,
  type ConfigSchema,
  defineEndpoint,
  definePlugin,
  type InputCapabilities,
  Message,
  MqbError,
  type OutputCapabilities,
} from "@mqb/core/plugin";

interface Settings {
  readonly topic: string;
}

// Real plugins take a zod schema; it brings JSON Schema, hints and reference docs along.
const schema: ConfigSchema<Settings> = {
  "~standard": { version: 1, vendor: "example", validate: (value) => ({ value: value as Settings }) },
};

const topics = new Map<string, string[]>([["letters", ["a", "b", "c"]]]);

const shelf = defineEndpoint<Settings>({
  description: "Topics in a map",
  schema,
  input: {
    capabilities: (): InputCapabilities => ({
      acknowledges: true,
      commitsInOrder: false,
      replies: false,
      stableIds: false,
      replayablePosition: false,
      bounded: true,
    }),
    open({ topic }) {
      const texts = topics.get(topic);
      if (!texts) throw new MqbError("SHELF_NO_TOPIC", "config", `there is no topic "${topic}"`);
      return {
        async receive(max) {
          const taken = texts.splice(0, max);
          return {
            batch: batchOf(taken.map((text) => new Message(text))),
            async commit(dispositions) {
              texts.unshift(...taken.filter((_, i) => dispositions?.[i]?.type === "nack"));
            },
          };
        },
        async close() {},
      };
    },
  },
  output: {
    capabilities: (): OutputCapabilities => ({
      acknowledges: true,
      replies: false,
      orderedPublish: false,
      idempotent: false,
    }),
    open: ({ topic }) => ({
      async send(batch) {
        const texts = topics.get(topic) ?? [];
        topics.set(topic, [...texts, ...Array.from(batch, (message) => message.text())]);
        return undefined;
      },
      async close() {},
    }),
  },
});

export default definePlugin({ name: "mqb-plugin-shelf", apiVersion: 1, endpoints: { shelf } });
