import type { ZenFunction } from "./arguments.ts";
import { NUMBERS } from "./numbers.ts";
import { TEXTS } from "./texts.ts";
import { TIMES } from "./times.ts";
import { TYPES } from "./types.ts";

/** Every function of the language besides the loops, which take a test and not a value. */
export const FUNCTIONS: Readonly<Record<string, ZenFunction>> = { ...TEXTS, ...NUMBERS, ...TYPES, ...TIMES };
