import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MONITOR_URL, NATS_URL, SPARE_MONITOR_URL, SPARE_URL, serverUrl, withServer } from "./servers.ts";
import { readText, readVector, sortedLines } from "./vector.ts";
import { runVector, type VectorServers } from "./vector-run.ts";

/** What is kept different from the recorded runs of the original, and why; see docs/compatibility.md. */
const DIFFERENCES: Readonly<Record<string, (seen: Record<string, unknown>) => void>> = {
  // It has to be there after a reconnect, which may take longer than the five seconds of the server.
  "433-nats-in-subscriber-mode": ignoreIdleTime,
  // A reply has the metadata of the answer as headers, as a message would; the original loses it without a word.
  "435-nats-in-core-reply": ignoreReplyHeaders,
  "537-nats-in-core-static-reply": ignoreReplyHeaders,
  "533-nats-in-jetstream-reply-to": (seen) => ignoreHeaders(seen["replies"]),
};

/** Recorded members that say how the original's client library speaks, or how long it took. */
const LEFT_OUT = ["wire_nats", "notes", "seconds_until_second_message"];

const guarded = serverUrl("nats-auth", "nats://127.0.0.1:24242").replace("nats://", "");
const names = readdirSync(new URL("./vectors/", import.meta.url)).sort();

await withServer("nats", NATS_URL, () => {
  describe("runs of the original against a real server", () => {
    it.each(names)("%s", async (name) => {
      const vector = readVector(name);
      const { exitCode, seen, files } = await runVector(name, serversFor(vector.during));
      expect(exitCode, "the exit code").toBe(vector.observed.exit_code);
      const expected = JSON.parse(readText(name, "expected.json") ?? "{}") as Record<string, unknown>;
      for (const member of LEFT_OUT) delete expected[member];
      for (const member of LEFT_OUT) delete (seen as Record<string, unknown>)[member];
      for (const side of [seen as Record<string, unknown>, expected]) {
        DIFFERENCES[name]?.(side);
        for (const [member, value] of Object.entries(side)) side[member] = settled(member, value, name);
      }
      expect(seen).toEqual(expected);
      for (const [file, { compare, expected: wanted, varies }] of Object.entries(vector.outputs)) {
        if (compare === "absent") expect(files[file]).toBeUndefined();
        else {
          const [found, recorded] = [files[file] ?? "", readText(name, wanted!)!].map(sortedLines);
          expect(varies === "order" ? found!.toSorted() : found).toEqual(
            varies === "order" ? recorded!.toSorted() : recorded,
          );
        }
      }
    });
  });
});

/** One that is restarted must not be anybody else's. */
function serversFor(operations: readonly { readonly op: string }[]): VectorServers {
  const isRestarted = operations.some(({ op }) => op === "service");
  return isRestarted
    ? { url: SPARE_URL, monitor: SPARE_MONITOR_URL, guarded, service: "nats-spare" }
    : { url: NATS_URL, monitor: MONITOR_URL, guarded };
}

/** What depends on the moment at which it is looked at. */
function settled(member: string, value: unknown, name: string): unknown {
  if (member === "connections") return (value as { subs: unknown }[]).map(({ subs }) => ({ subs }));
  if (!member.startsWith("consumers")) return value;
  return (value as Record<string, never>[]).map(({ num_waiting: _, ...consumer }) => {
    // How often the message was given out until it went through.
    if (name.startsWith("446"))
      for (const place of ["delivered", "ack_floor"]) delete (consumer[place] as never)["consumer_seq"];
    return consumer;
  });
}

function ignoreIdleTime(seen: Record<string, unknown>): void {
  for (const [member, value] of Object.entries(seen)) {
    if (!member.startsWith("consumers")) continue;
    for (const { config } of value as { config: { inactive_threshold?: unknown } }[]) delete config.inactive_threshold;
  }
}

function ignoreReplyHeaders(seen: Record<string, unknown>): void {
  for (const reply of Object.values(seen)) delete (reply as { headers?: unknown }).headers;
}

function ignoreHeaders(messages: unknown): void {
  for (const message of messages as { headers?: unknown }[]) delete message.headers;
}
