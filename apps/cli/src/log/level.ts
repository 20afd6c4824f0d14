export const LEVELS = ["debug", "info", "warn", "error", "off"] as const;
export type Level = (typeof LEVELS)[number];

const NAMES: Readonly<Record<string, Level>> = {
  trace: "debug",
  debug: "debug",
  info: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  off: "off",
};

/**
 * The level that a setting asks for: a name, or a filter list such as `info,mq_bridge=trace`, of which the part without
 * `=` counts. Undefined for what is neither.
 */
export function parseLevel(text: string): Level | undefined {
  const parts = text.split(",").map((part) => part.trim().toLowerCase());
  const own = parts.find((part) => part !== "" && !part.includes("="));
  if (own !== undefined) return NAMES[own];
  return parts.some((part) => part.includes("=")) ? "info" : undefined;
}
