import { createRedactor, levelOf, parseFilter } from "@mqb/config/uri";
import { describe, expect, it } from "vitest";
import { createLogger, type LoggerOptions } from "../src/log/logger.ts";
import { everyModule, wantedFilter } from "../src/log/setup.ts";

function logged(options: Partial<LoggerOptions>, use: (log: ReturnType<typeof createLogger>) => void): string {
  let text = "";
  const redactor = createRedactor();
  redactor.add("hunter22");
  const log = createLogger({
    filter: everyModule("info"),
    format: "plain",
    color: false,
    redactor,
    write: (line) => (text += line),
    now: () => 0,
    ...options,
  });
  use(log);
  return text;
}

describe("log lines", () => {
  it("are one line each, with time, level, message and fields", () => {
    expect(
      logged({}, (log) =>
        log.warn("route r: gone", { code: "X", why: "no such host", n: 3, error: new Error("boom") }),
      ),
    ).toBe('1970-01-01T00:00:00.000Z WARN  route r: gone code=X why="no such host" n=3 error="boom"\n');
  });

  it("can be JSON", () => {
    const text = logged({ format: "json" }, (log) =>
      log.error("x", { error: new Error("a", { cause: new Error("b") }) }),
    );
    expect(JSON.parse(text)).toEqual({ time: "1970-01-01T00:00:00.000Z", level: "error", message: "x", error: "a: b" });
  });

  it("show nothing below their level", () => {
    const all = (log: ReturnType<typeof createLogger>) => {
      log.debug("d");
      log.info("i");
      log.warn("w");
      log.error("e");
    };
    expect(logged({ filter: everyModule("warn") }, all).match(/[dwie]\n/g)).toEqual(["w\n", "e\n"]);
    expect(logged({ filter: everyModule("off") }, all)).toBe("");
  });

  it.each(["plain", "json"] as const)("hold no secret (%s)", (format) => {
    const text = logged({ format }, (log) =>
      log.info("connect to db://u:pw-1234@h/d failed", {
        url: "http://h?token=abc123",
        deep: { password: "is hunter22" },
      }),
    );
    expect(text).not.toMatch(/hunter22|pw-1234|abc123/);
    expect(text).toContain("***");
  });

  it.each(["plain", "json"] as const)("hold no secret with characters that are escaped in quotes (%s)", (format) => {
    const secret = 'pa"ss\\word';
    const redactor = createRedactor();
    redactor.add(secret);
    const text = logged({ format, redactor }, (log) =>
      log.info("x", { error: new Error(`refused ${secret}`), text: `is ${secret}`, deep: { list: [secret] } }),
    );
    expect(text).not.toContain("word");
    expect(text.match(/\*\*\*/g)).toHaveLength(3);
  });

  it.each(["plain", "json"] as const)("hold no secret that is a number (%s)", (format) => {
    const redactor = createRedactor();
    redactor.learn({ password: 12345678, token: 123456789012345678901n });
    const text = logged({ format, redactor }, (log) =>
      log.info("x", { n: 12345678, rows: 4711, deep: { list: [12345678, 123456789012345678901n] } }),
    );
    expect(text).not.toContain("12345678");
    expect(text).toContain("4711");
    expect(text.match(/\*\*\*/g)).toHaveLength(3);
  });

  it.each(["\n", "\r", "\r\n", "\u2028", "\u001b[2K\u001b[1G"])("cannot be faked by %j in a message", (fake) => {
    const text = logged({}, (log) => log.info(`a${fake}1970 ERROR b`));
    expect(text.split(/[\n\r\u2028\u2029]/).filter((line) => line.startsWith("1970"))).toHaveLength(1);
    expect(text).not.toContain("\u001b");
  });
});

describe("the log level", () => {
  const seen = (text: string, module?: string): string | undefined => {
    const filter = parseFilter(text);
    return filter && levelOf(filter, module);
  };

  it("is read from a name or a filter list", () => {
    expect(
      ["info", "WARN", "trace", "off", "warn,kafka=debug", "kafka=debug", "loud", ""].map((one) => seen(one)),
    ).toEqual(["info", "warn", "debug", "off", "warn", "info", undefined, undefined]);
  });

  it("can be another one for a module, however the module is spelled", () => {
    expect(seen("warn,kafka=debug", "kafka")).toBe("debug");
    expect(seen("warn,mq_bridge::endpoints::dir-spool=off", "dir_spool")).toBe("off");
    expect(seen("warn,kafka=debug", "nats")).toBe("warn");
  });

  it("of mq_bridge is that of the whole, as configurations of mq-bridge have it", () => {
    expect(seen("info,mq_bridge=trace")).toBe("debug");
    expect(seen("mq_bridge=error,warn", "file")).toBe("error");
  });

  it("is refused as a whole when one level in it is none", () => {
    expect(seen("info,kafka=loud")).toBeUndefined();
  });

  it("is that of RUST_LOG before any other", () => {
    const warn = everyModule("warn");
    expect(levelOf(wantedFilter({ RUST_LOG: "debug" }, warn))).toBe("debug");
    expect(wantedFilter({ RUST_LOG: "" }, warn)).toBe(warn);
    expect(() => wantedFilter({ RUST_LOG: "loud" }, warn)).toThrow(/RUST_LOG is "loud"/);
  });

  it("of a module is applied to what the module logs", () => {
    const filter = parseFilter("off,kafka=info")!;
    const text = logged({ filter }, (log) => {
      log.error("of nobody");
      log.module!("kafka").info("of kafka");
      log.module!("kafka").debug("of kafka, in detail");
      log.module!("nats").error("of nats");
    });
    expect(text).toBe("1970-01-01T00:00:00.000Z INFO  of kafka\n");
  });
});
