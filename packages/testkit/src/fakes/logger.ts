import { describeError, isMqbError, type LogFields, type Logger } from "@mqb/core/plugin";

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that keeps what it was told. */
export interface RecordingLogger extends Logger {
  readonly entries: readonly LogEntry[];
  /** The messages of one level. */
  at(level: LogLevel): readonly string[];
  /** Everything that was logged, fields and chains of causes included, as one text; to look for secrets. */
  text(): string;
  /** The first entry, past or future, whose message matches. */
  logged(level: LogLevel, message: RegExp): Promise<LogEntry>;
}

export function recordingLogger(): RecordingLogger {
  const entries: LogEntry[] = [];
  const waiting = new Set<(entry: LogEntry) => void>();
  const record =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      const entry = { level, message, fields };
      entries.push(entry);
      for (const look of waiting) look(entry);
    };
  return {
    entries,
    debug: record("debug"),
    info: record("info"),
    warn: record("warn"),
    error: record("error"),
    at: (level) => entries.filter((entry) => entry.level === level).map((entry) => entry.message),
    text: () => entries.map((entry) => `${entry.level} ${entry.message} ${plain(entry.fields)}`).join("\n"),
    logged(level, message) {
      const fits = (entry: LogEntry): boolean => entry.level === level && message.test(entry.message);
      const past = entries.find(fits);
      if (past) return Promise.resolve(past);
      return new Promise((resolve) => {
        const look = (entry: LogEntry): void => {
          if (!fits(entry)) return;
          waiting.delete(look);
          resolve(entry);
        };
        waiting.add(look);
      });
    },
  };
}

function plain(fields: LogFields): string {
  return JSON.stringify(fields, (_, value: unknown) => {
    if (value instanceof Error || isMqbError(value)) return `${describeError(value)} ${(value as Error).stack ?? ""}`;
    return typeof value === "bigint" ? String(value) : value;
  });
}
