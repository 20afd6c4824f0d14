import type { OpenContext } from "@mqb/core/plugin";
import { Template } from "@mqb/standard";

/** Compiles a template; with `json`, what comes from messages is escaped. Throws a `config` error. */
export type Compile = (text: string, options?: { readonly json: boolean }) => Template;

/** The templates of one lookup; their `${gen:counter}` counts on after a reconnect. */
export function compiler({ clock, session }: Pick<OpenContext, "clock" | "session">, lookup: string): Compile {
  const key = `counter of ${lookup}`;
  const counter = (session.get(key) as { next: number } | undefined) ?? { next: 0 };
  session.set(key, counter);
  return (text, { json } = { json: false }) => new Template(text, { json, clock, counter, env: process.env });
}
