import type { TableInfo } from "./contract.ts";

/** Whether a value of the column can be there only once. */
export function isUnique({ uniqueKeys }: TableInfo, column: string): boolean {
  const wanted = column.toLowerCase();
  return uniqueKeys.some((key) => key.length === 1 && key[0]!.toLowerCase() === wanted);
}
