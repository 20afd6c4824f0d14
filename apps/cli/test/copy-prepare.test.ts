import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../src/args/parse.ts";
import { COMMANDS, PROGRAM } from "../src/commands.ts";
import { prepareCopy } from "../src/copy/prepare.ts";

const EXPRESSIONS = fileURLToPath(new URL("fixtures/expressions.mjs", import.meta.url));

const ECHO = fileURLToPath(new URL("fixtures/echo.mjs", import.meta.url));

const prepare = (...argv: string[]) =>
  prepareCopy(parseCommandLine(["copy", ...argv], PROGRAM, COMMANDS).args, "/", { SET: "orders" });

async function failure(...argv: string[]): Promise<{ code: string; message: string; hint?: string }> {
  try {
    await prepare(...argv);
  } catch (error) {
    return error as never;
  }
  throw new Error("nothing was refused");
}

describe("the route of a copy", () => {
  it("is made of the two URIs and the flags", async () => {
    const { config, draining, toStdout } = await prepare("memory://a", "null:", "--drain", "--batch-size", "7");
    expect(config).toEqual({
      input: { memory: { topic: "a" } },
      output: { null: {} },
      exit_on_empty: true,
      concurrency: 4,
      batch_size: 7,
    });
    expect([draining, toStdout]).toEqual([true, false]);
  });

  it("goes on without --drain, and takes 1024 messages at a time where the target does not care", async () => {
    expect((await prepare("memory://$SET", "null:", "--concurrency", "2")).config).toMatchObject({
      input: { memory: { topic: "orders" } },
      exit_on_empty: false,
      concurrency: 2,
      batch_size: 1024,
    });
  });

  it("drains with --wait", async () => {
    expect((await prepare("memory://a", "null:", "--wait", "3")).draining).toBe(true);
  });
});

describe("a copy into the memory of its process", () => {
  it.each([
    ["memory://orders", ["orders"]],
    ["null:|dlq?endpoint=memory://dead", ["dead"]],
    ["null:", []],
    ["file:memory", []],
    ["memory:ipc:///run/app/q.sock", []],
  ])("warns of what is lost with it: %s", async (target, topics) => {
    const { warnings } = await prepare("file:in.jsonl", target);
    expect(warnings).toEqual(topics.map((topic) => expect.stringContaining(`memory topic "${topic}" ends with`)));
  });
});

describe("a value that does not fit its field", () => {
  it.each([
    ["null:|retry?max_attempts=abc", 'retry.max_attempts: "max_attempts" of "retry" takes a whole number', '"abc"'],
    ["null:|retry?max_attempts=1_000", "retry.max_attempts: ", '"1_000"'],
    ["file:a?fsync_interval_ms=soon", "file.fsync_interval_ms: ", '"soon"'],
    ["memory://t?subscribe_mode=yes", "memory.subscribe_mode: ", '"yes"'],
  ])("is named: %s", async (target, place, value) => {
    const { message } = await failure("memory://a", target);
    expect(message).toContain(place);
    expect(message).toContain(`, not ${value}`);
  });

  it("is named with the upper bound where it exceeds one", async () => {
    const { message } = await failure("memory://a", "null:", "--limit", "99999999999999999999");
    expect(message).toContain("--limit takes a whole number from 1 to 9007199254740991,");
  });
});

describe("a copy into its own source", () => {
  it.each([["file:a.jsonl"], ["file:./x/../a.jsonl"], ["a.jsonl"]])(
    "is refused before it begins: %s",
    async (target) => {
      const { code, message } = await failure("file:a.jsonl", target);
      expect(code).toBe("MQB_CLI_COPY_ROUTE");
      expect(message).toMatch(/target\.file\.path: .*which this route also reads.*; write to another file/);
    },
  );
});

describe("--filter", () => {
  const filtered = async (source: string, ...argv: string[]) => {
    const { config } = await prepare(source, "null:", "--plugin", EXPRESSIONS, "--filter", "good", ...argv);
    return (config as { input: { middlewares: object[] } }).input.middlewares;
  };

  it("touches a message before the middlewares of the URI do: the list is read from its end", async () => {
    expect(await filtered("memory://a")).toEqual([{ filter: "good" }]);
    expect(await filtered("memory://a|delay?delay_ms=1|metrics")).toEqual([
      { delay: { delay_ms: 1 } },
      { metrics: {} },
      { filter: "good" },
    ]);
  });

  it("stays outside a buffer at the source", async () => {
    expect(await filtered("memory://a|metrics|buffer")).toEqual([{ metrics: {} }, { filter: "good" }, { buffer: {} }]);
    expect(await filtered("memory://a|buffer|metrics")).toEqual([{ buffer: {} }, { metrics: {} }, { filter: "good" }]);
  });

  it("is refused before anything is opened when the expression is wrong", async () => {
    const error = await failure("memory://a", "null:", "--plugin", EXPRESSIONS, "--filter", "a >");
    expect(error).toMatchObject({ code: "MQB_CLI_FILTER_INVALID", message: 'invalid filter expression "a >"' });
  });

  it("is in the language that comes with mqb, unless a listed plugin brings another", async () => {
    const { config } = await prepare("memory://a", "null:", "--filter", "amount > 100 and kind == 'x'");
    expect(config).toMatchObject({ input: { middlewares: [{ filter: "amount > 100 and kind == 'x'" }] } });
    expect(await failure("memory://a", "null:", "--filter", "amount >")).toMatchObject({
      code: "MQB_CLI_FILTER_INVALID",
    });
  });
});

describe("what cannot be copied is refused before anything is opened", () => {
  it.each([
    [["foo://x", "null:"], /unknown scheme "foo:"/],
    [["kafka://h/t", "null:"], /the plugin for "kafka:" is not installed/],
    [["memory://a?capasity=4", "null:"], /capasity/],
    [["memory://a", "null:|retrry"], /unknown middleware "retrry"/],
    [["memory://a|retry", "null:"], /source\.middlewares\[0\]\.retry: .*output/],
    [["memory://${NOPE}", "null:"], /variable NOPE .* is not set/],
    [["null:", "null:"], /source\.null: .*"null" can only be an output/],
    [["memory://a", "null:|retry?max_attempts=many"], /target\.middlewares\[0\]\.retry\.max_attempts/],
  ])("%j", async (argv, message) => {
    expect((await failure(...argv)).message).toMatch(message);
  });

  it("suggests names of plugins that are installed but not loaded", async () => {
    expect((await failure("memroy://a", "null:")).hint).toMatch(
      /did you mean "memory:"\? known schemes: .*file, memory/,
    );
  });
});

describe("--resume", () => {
  const echo = (query: string, ...argv: string[]) => [`echo:${query}`, ...argv, "--plugin", ECHO];
  const cursorOf = async (...argv: string[]) => {
    const { config, resume } = await prepare(...argv);
    return { cursor: (config as { input: { echo: { cursor_id?: string } } }).input.echo.cursor_id, resume };
  };

  it("is refused for a file, whose position is not safe, and for what keeps none", async () => {
    expect(await failure("file:a", "null:", "--resume")).toMatchObject({
      code: "MQB_CLI_RESUME_FILE",
      message: "source `file` does not support resumable copy",
    });
    expect((await failure("memory://a", "null:", "--resume")).message).toBe(
      "source `memory` does not support resumable copy",
    );
  });

  it("gives the source a name for its position", async () => {
    expect(await cursorOf(...echo("", "null:", "--resume"))).toEqual({
      cursor: expect.stringMatching(/^copy-[0-9a-f]{32}$/),
      resume: "cursor",
    });
  });

  it("names it by source, destination and filter, but not by spelling or secrets", async () => {
    const cursor = async (...argv: string[]) =>
      (await cursorOf(...echo(argv[0]!, ...argv.slice(1), "--resume"))).cursor;
    const plain = await cursor("?mode=live&token=abc", "file:out");
    expect(await cursor("?token=another&mode=live", "file:out")).toBe(plain);
    expect(await cursor("?mode=live&token=abc", "file:out", "--concurrency", "2", "--drain")).toBe(plain);
    const others = [
      await cursor("?token=abc", "file:out"),
      await cursor("?mode=live&token=abc", "file:other"),
      await cursor("?mode=live&token=abc", "file:out", "--filter", "a"),
      await cursor("?mode=live&token=abc|delay?delay_ms=1", "file:out"),
    ];
    expect(new Set([plain, ...others]).size).toBe(5);
  });

  it("leaves the name that the URI gives, and what is not resumable is refused before anything is opened", async () => {
    expect(await cursorOf(...echo("?cursor_id=mine", "null:", "--resume"))).toEqual({
      cursor: "mine",
      resume: "cursor",
    });
    expect(await failure(...echo("?mode=snapshot", "null:", "--resume"))).toMatchObject({ code: "ECHO_RESUME" });
  });

  it("is off without the flag, and --no-resume takes an optional position away", async () => {
    expect(await cursorOf(...echo("?cursor_id=mine", "null:"))).toEqual({ cursor: "mine", resume: "off" });
    expect(await cursorOf(...echo("?cursor_id=mine", "null:", "--no-resume"))).toEqual({
      cursor: undefined,
      resume: "off",
    });
  });

  it("needs nothing to be switched off where nothing is kept", async () => {
    await expect(prepare("memory://a", "null:", "--no-resume")).resolves.toBeDefined();
  });
});
