import type { Redactor } from "@mqb/config/uri";
import { LEVELS, type LogFilter, levelOf } from "@mqb/config/uri";
import { describeError, type LogFields, type Logger } from "@mqb/core/plugin";
import { printable } from "../printable.ts";

export interface LoggerOptions {
  readonly filter: LogFilter;
  readonly format: "plain" | "json";
  readonly color: boolean;
  readonly redactor: Redactor;
  readonly write: (line: string) => void;
  readonly now: () => number;
}

type Logged = "debug" | "info" | "warn" | "error";

const COLORS: Readonly<Record<Logged, number>> = { debug: 90, info: 32, warn: 33, error: 31 };

/**
 * Writes one line per message: `2026-01-31T12:00:00.000Z WARN  message key=value`, or a JSON object. Secrets are taken
 * out of every text. A log library would cost more at start than a whole small copy takes.
 */
export function createLogger(options: LoggerOptions): Logger {
  const made = new Map<string, Logger>();
  const module = (name: string): Logger => {
    const known = made.get(name) ?? loggerOf(name, options, module);
    made.set(name, known);
    return known;
  };
  return loggerOf(undefined, options, module);
}

function loggerOf(name: string | undefined, options: LoggerOptions, module: (name: string) => Logger): Logger {
  const threshold = LEVELS.indexOf(levelOf(options.filter, name));
  const at = (level: Logged): ((message: string, fields?: LogFields) => void) => {
    if (LEVELS.indexOf(level) < threshold) return () => {};
    const line = options.format === "json" ? jsonLine : plainLine;
    return (message, fields) => options.write(line(level, message, fields, options));
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), module };
}

function plainLine(level: Logged, message: string, fields: LogFields | undefined, options: LoggerOptions): string {
  const time = new Date(options.now()).toISOString();
  const name = level.toUpperCase().padEnd(5);
  const shown = options.color ? `\x1b[${COLORS[level]}m${name}\x1b[0m` : name;
  const rest = Object.entries(fields ?? {}).map(([key, value]) => ` ${key}=${fieldText(value, options.redactor)}`);
  const text = options.redactor.text(`${message}${rest.join("")}`).replaceAll("\r\n", "\n");
  // A line break inside a message would let a foreign text pose as a log line.
  return `${time} ${shown} ${printable(text).replaceAll("\n", "\n  ")}\n`;
}

function jsonLine(level: Logged, message: string, fields: LogFields | undefined, options: LoggerOptions): string {
  const record = { time: new Date(options.now()).toISOString(), level, message, ...fields };
  return `${JSON.stringify(record, hidden(options.redactor))}\n`;
}

/** Takes secrets out of every text and number before it is quoted: with escapes in it, a secret is not recognised any more. */
function hidden(redactor: Redactor): (key: string, value: unknown) => unknown {
  return (_, value) => {
    if (value instanceof Error) return redactor.text(describeError(value));
    if (typeof value === "bigint") return String(redactor.json(value));
    return typeof value === "string" || typeof value === "number" ? redactor.json(value) : value;
  };
}

function fieldText(value: unknown, redactor: Redactor): string {
  if (typeof value === "string" && /^[^\s"=]+$/.test(value)) return value;
  return typeof value === "number" || value === undefined ? String(value) : JSON.stringify(value, hidden(redactor));
}
