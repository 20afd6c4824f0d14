/** Where something stands in a route, as steps: `["output", "middlewares", 0, "dlq"]`. */
export type Path = readonly (string | number)[];

/** A path as users write it: `output.middlewares[0].dlq`. */
export function formatPath(path: Path): string {
  const steps = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`));
  return steps.join("").replace(/^\./, "");
}

/** The steps of a written path: `cases.a`, `[0].to`. What is steps already stays so. */
export function splitPath(path: string | Path): Path {
  if (typeof path !== "string") return path;
  const steps = [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)];
  return steps.map(([, index, name]) => name ?? Number(index));
}
