import { Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { createTopic } from "./admin.ts";
import { javaLibrary, runTool } from "./java-tools.ts";
import { sendAll, takeAll } from "./open.ts";
import { freshName, KAFKA_URL, withKafka } from "./server.ts";

const CODECS = ["none", "gzip", "snappy", "lz4", "zstd"];
const ID = "0190aaaa-0000-7000-8000-000000000001";
const OPTIONS = { timeout: 60_000 };

// They take seconds to start: one process for each direction and codec.
await withKafka(() => {
  describe.skipIf(javaLibrary() === undefined)("the console tools of the broker", () => {
    it.each(CODECS)("read what is written with %s: keys, headers, null values", OPTIONS, async (codec) => {
      const topic = freshName();
      await createTopic(topic);
      const text = "text ".repeat(200);
      const messages = [
        new Message(
          text,
          new Map([
            ["key", "k1"],
            ["kind", "grüße"],
          ]),
          ID,
        ),
        new Message(
          "",
          new Map([
            ["key", "k2"],
            ["mqb.kafka.tombstone", "true"],
          ]),
        ),
        ...Array.from({ length: 300 }, (_, i) => new Message(`${text}${i}`, new Map([["key", `k${i}`]]))),
      ];
      const options = {
        url: KAFKA_URL,
        topic,
        partition_key: "key",
        producer_options: [["compression.type", codec]] as [string, string][],
      };
      await sendAll(options, messages);
      const shows = ["print.key", "print.headers"].flatMap((name) => ["--formatter-property", `${name}=true`]);
      const args = ["--topic", topic, "--from-beginning", "--max-messages", "302", "--timeout-ms", "20000", ...shows];
      const printed = (await runTool("org.apache.kafka.tools.consumer.ConsoleConsumer", args)).trimEnd().split("\n");
      expect(printed).toHaveLength(302);
      expect(printed[0]).toBe(`mq_bridge.message_id:${ID.replaceAll("-", "")},key:k1,kind:grüße\tk1\t${text}`);
      expect(printed[1]).toMatch(/^mq_bridge\.message_id:[0-9a-f]{32},key:k2\tk2\tnull$/);
      expect(printed[301]!.endsWith(`\tk299\t${text}299`)).toBe(true);
    });

    it.each(CODECS)("write with %s what is read: keys, headers, null values", OPTIONS, async (codec) => {
      const topic = freshName();
      await createTopic(topic);
      const text = "text ".repeat(200);
      const lines = [
        `kind:order,mq_bridge.message_id:${ID}\tk1\tfirst`,
        "a:1\tk2\tNOTHING",
        ...Array.from({ length: 300 }, (_, i) => `n:${i}\tk\t${text}${i}`),
      ];
      const reads = ["parse.key=true", "parse.headers=true", "null.marker=NOTHING"].flatMap((one) => [
        "--reader-property",
        one,
      ]);
      const args = ["--topic", topic, "--compression-codec", codec, ...reads];
      await runTool("org.apache.kafka.tools.ConsoleProducer", args, `${lines.join("\n")}\n`);
      const messages = await takeAll(
        { url: KAFKA_URL, topic, group_id: topic, consumer_options: [["check.crcs", "true"]] },
        302,
      );
      expect(messages[0]!.text()).toBe("first");
      expect(messages[0]!.id).toBe(ID);
      expect([...messages[0]!.metadata]).toEqual([
        ["kind", "order"],
        ["mq_bridge.message_id", ID],
      ]);
      expect(messages[1]!.payload).toHaveLength(0);
      expect([...messages[1]!.metadata]).toEqual([
        ["a", "1"],
        ["mqb.kafka.tombstone", "true"],
      ]);
      expect(messages.slice(2).map((message) => message.text())).toEqual(
        lines.slice(2).map((line) => line.split("\t")[2]),
      );
    });
  });
});
