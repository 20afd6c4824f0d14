import { readdirSync, readFileSync } from "node:fs";

export type Kind = "route" | "document" | "input" | "output" | "input-middlewares" | "output-middlewares";

/** A configuration, or a piece of one, with what its header says about it. */
export interface Example {
  readonly file: string;
  readonly kind: Kind;
  /** It holds, or may stand on, this side too. */
  readonly also?: "input" | "output";
  /** Why it is refused; absent when it is accepted. */
  readonly refused?: string;
  readonly body: string;
}

const folder = new URL("files/", import.meta.url);

export function readExamples(): Example[] {
  return readdirSync(folder).sort().map(readExample);
}

function readExample(file: string): Example {
  const text = readFileSync(new URL(file, folder), "utf8");
  const end = text.indexOf("\n\n");
  const header = new Map(text.slice(0, end).split("\n").map(headerEntry));
  const also = header.get("also") as "input" | "output" | undefined;
  const refused = header.get("expect")?.replace(/^error /, "");
  return {
    file,
    kind: header.get("kind") as Kind,
    body: text.slice(end + 2),
    ...(also ? { also } : {}),
    ...(refused === undefined ? {} : { refused }),
  };
}

function headerEntry(line: string): [string, string] {
  const [, key, value] = /^# (\w+): (.*)$/.exec(line)!;
  return [key!, value!];
}

/** The documents to check: the example itself, or the piece put into a route, once for every side it may stand on. */
export function documentsOf({ kind, also, body }: Example): string[] {
  if (kind === "route" || kind === "document") return [`routes:\n${indent(body, 2)}`];
  if (kind === "input" || kind === "output") {
    const given = also ? "" : kind === "output" ? "    input: {memory: {topic: in}}\n" : "";
    return [`routes:\n  r:\n${given}${indent(body, 4)}`];
  }
  const side = kind === "input-middlewares" ? "input" : "output";
  return (also ? [side, also] : [side]).map((one) => {
    const given = one === "output" ? "    input: {memory: {topic: in}}\n" : "";
    return `routes:\n  r:\n${given}    ${one}:\n      memory: {topic: t}\n      middlewares:\n${indent(body, 8)}`;
  });
}

function indent(text: string, by: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(by));
}
