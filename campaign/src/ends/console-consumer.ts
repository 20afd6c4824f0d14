import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { within } from "@mqb/testkit";

const READ_MS = 180_000;

export interface ConsoleReading {
  /** The folder with the jars of Kafka. */
  readonly library: string;
  readonly broker: string;
  readonly topic: string;
  /** A value that stands behind everything else in each partition, and how many partitions there are. */
  readonly last: string;
  readonly partitions: number;
}

/**
 * Values of a topic as the console consumer that comes with Kafka prints them, of what is committed. Rejects when the last ones do
 * not come: a transaction that nobody ends holds up whoever reads only what is committed.
 */
export async function readConsole({ library, broker, topic, last, partitions }: ConsoleReading): Promise<string[]> {
  const consumer = spawn(
    "java",
    [
      ...["-Xmx512m", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"],
      ...["-cp", join(library, "*"), "org.apache.kafka.tools.consumer.ConsoleConsumer"],
      ...["--bootstrap-server", broker, "--topic", topic, "--from-beginning", "--isolation-level", "read_committed"],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let complaint = "";
  consumer.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const lines: string[] = [];
  let left = partitions;
  const reading = async (): Promise<string[]> => {
    for await (const line of createInterface({ input: consumer.stdout })) {
      if (line !== last) lines.push(line);
      else if (--left === 0) return lines;
    }
    throw new Error(`the console consumer ended too early: ${complaint}`);
  };
  try {
    return await within(reading(), `the last record of each partition of ${topic}`, READ_MS);
  } finally {
    consumer.kill("SIGKILL");
  }
}
