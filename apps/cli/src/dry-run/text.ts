import { printable } from "../printable.ts";
import type { MessageReport, ShownMessage } from "./fates.ts";

const MAX_PAYLOAD = 400;

/** What became of each message, for people. */
export function reportText(report: {
  readonly route: string;
  readonly messages: readonly MessageReport[];
  readonly error?: string;
}): string {
  const { route, messages, error } = report;
  const head = `route ${route}: ${messages.length} message${messages.length === 1 ? "" : "s"} looked at, nothing moved`;
  const lines = messages.flatMap((one, index) => [
    `  ${index + 1}. ${one.fate}${one.reason ? `: ${printable(one.reason)}` : ""}`,
    ...partsOf(one),
  ]);
  return `${[head, ...lines, ...(error === undefined ? [] : [`  the route ended: ${printable(error)}`])].join("\n")}\n`;
}

function partsOf({ before, after }: MessageReport): string[] {
  return [
    `     before  ${messageText(before)}`,
    ...after.map(({ sink, type, message }) => `     after   ${messageText(message)}  -> ${sink} (${type})`),
  ];
}

function messageText({ payload, encoding, metadata }: ShownMessage): string {
  const cut =
    payload.length > MAX_PAYLOAD ? `${payload.slice(0, MAX_PAYLOAD)}… (${payload.length} characters)` : payload;
  const pairs = Object.entries(metadata);
  const meta = pairs.length === 0 ? "" : `  ${printable(JSON.stringify(metadata))}`;
  return `${encoding === "base64" ? "base64:" : ""}${printable(cut)}${meta}`;
}
