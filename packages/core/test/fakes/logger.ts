import type { LogFields, Logger } from "../../src/contract/log.ts";

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: LogFields | undefined;
}

/** Keeps what is logged. */
export class FakeLogger implements Logger {
  readonly lines: LogLine[] = [];
  debug = this.keep("debug");
  info = this.keep("info");
  warn = this.keep("warn");
  error = this.keep("error");

  at(level: keyof Logger): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }

  private keep(level: keyof Logger) {
    return (message: string, fields?: LogFields): void => {
      this.lines.push({ level, message, fields });
    };
  }
}
