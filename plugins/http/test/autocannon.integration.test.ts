import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { CollectingPublisher, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { listening } from "./support.ts";

const require = createRequire(import.meta.url);
const COMMAND = require.resolve("autocannon");
const AMOUNT = 6400;
const CONNECTIONS = 64;

/** What the load generator counted. `mismatches` are answers with another body than the expected one. */
interface Counted {
  readonly "2xx": number;
  readonly non2xx: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly mismatches: number;
}

const ALL_WELL = { "2xx": AMOUNT, non2xx: 0, errors: 0, timeouts: 0, mismatches: 0 };

async function fire(url: string, ...args: readonly string[]): Promise<Counted> {
  const fixed = ["--json", "--amount", String(AMOUNT), "--connections", String(CONNECTIONS), "--method", "POST"];
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...fixed, ...args, url]);
  return JSON.parse(stdout) as Counted;
}

describe(`autocannon, over ${CONNECTIONS} connections`, () => {
  it.each([1, 10])("gets its own body back, with %i requests at once on each", async (pipelining) => {
    await using server = await listening({}, { response: {} });
    const body = `{"text":"${"x".repeat(170)}"}`;
    // It counts none of the answers behind the first one of its last turn on a connection: those of a bare server neither.
    const uncounted = CONNECTIONS * (pipelining - 1);
    const pipelined = ["--pipelining", String(pipelining)];
    const counted = await fire(server.url, ...pipelined, "--body", body, "--expectBody", body);
    expect(counted).toMatchObject({ ...ALL_WELL, "2xx": AMOUNT - uncounted });
  });

  it("is told of each request that it is taken when the sink has it, once", async () => {
    const sink = new CollectingPublisher();
    const plugins = [fakePlugin({ sink: { publisher: () => sink } })];
    await using server = await listening({}, { sink: {} }, { plugins });
    const counted = await fire(server.url, "--idReplacement", "--body", '{"id":"[<id>]"}');
    expect(counted).toMatchObject(ALL_WELL);
    const bodies = sink.messages.map((message) => message.text());
    expect(bodies).toHaveLength(AMOUNT);
    expect(new Set(bodies).size).toBe(AMOUNT);
  });
});
