/** Where mqb says what it does. Fields must not hold payloads or secrets. Hosts pass their own; the default is silent. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** The log of a module, where a host sets levels by module. Endpoints and middlewares get theirs, by their key. */
  module?(name: string): Logger;
}

export type LogFields = Readonly<Record<string, unknown>>;

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
