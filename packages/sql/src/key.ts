/** The columns of `key: "a, b"`. */
export function keyNames(key: string | null | undefined): string[] {
  return (key ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
