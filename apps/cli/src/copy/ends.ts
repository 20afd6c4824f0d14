import type { ParsedArgs } from "../args/parse.ts";
import { cliErrors } from "../errors.ts";

/** The two URIs of a copy, from the arguments or from `--from` and `--to`. */
export function copyEnds(args: ParsedArgs): { readonly source: string; readonly target: string } {
  const [source, target] = args.positionals;
  const from = args.text("from");
  const to = args.text("to");
  const named = from !== undefined || to !== undefined;
  const refuse = (message: string): Error => cliErrors.COPY_ARGUMENTS({ message });
  if (named && source !== undefined) {
    throw refuse("source and target are either two arguments or --from and --to, not a mixture");
  }
  if (from !== undefined && to !== undefined) return { source: from, target: to };
  if (named)
    throw refuse(
      from === undefined
        ? "--from is missing: --to alone does not say what to copy"
        : "--to is missing: --from alone does not say where to copy to",
    );
  if (source === undefined) throw refuse("a copy needs a source and a target");
  if (target === undefined) throw refuse(`the target is missing: only one endpoint is given`);
  return { source, target };
}
