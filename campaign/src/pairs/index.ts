import { fileToFile, fileToFileOnce } from "./file-to-file.ts";
import type { Pair } from "./pair.ts";

export const pairs: readonly Pair[] = [fileToFile, fileToFileOnce];
