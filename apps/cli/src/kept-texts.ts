import { keyOf, staticTexts } from "./static-texts.ts";

/** The text that a command line asks for, if it depends on nothing else. The bundle has one of these that reads a file. */
export function keptText(argv: readonly string[]): string | undefined {
  return staticTexts().get(keyOf(argv));
}
