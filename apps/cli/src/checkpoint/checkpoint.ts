import type { Checkpoint, CheckpointValue } from "@mqb/core/plugin";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { EXIT } from "../exit.ts";
import { jsonDocument } from "../json-document.ts";
import { type Found, findCheckpoint } from "./find.ts";
import { refuseRunning } from "./running.ts";

/** `mqb checkpoint show`. */
export async function showCheckpoint(args: ParsedArgs, context: CommandContext): Promise<number> {
  return await withCheckpoint(args, context, async ({ checkpoint }) => {
    print(checkpoint, await checkpoint.read(), args, context);
  });
}

/** `mqb checkpoint reset`: prints what was there, also when it is of no use. */
export async function resetCheckpoint(args: ParsedArgs, context: CommandContext): Promise<number> {
  return await withCheckpoint(args, context, async (found) => {
    if (!args.has("force")) refuseRunning(found, context);
    const before = await found.checkpoint.read().catch(() => undefined);
    await found.checkpoint.clear();
    print(found.checkpoint, before, args, context);
  });
}

/** `mqb checkpoint set`: prints what is there now. */
export async function setCheckpoint(args: ParsedArgs, context: CommandContext): Promise<number> {
  const value = args.text("value");
  if (value === undefined) throw cliErrors.USAGE({ message: "checkpoint set needs --value <VALUE>" });
  return await withCheckpoint(args, context, async (found) => {
    if (!args.has("force")) refuseRunning(found, context);
    await found.checkpoint.write(value);
    print(found.checkpoint, await found.checkpoint.read(), args, context);
  });
}

async function withCheckpoint(
  args: ParsedArgs,
  context: CommandContext,
  work: (found: Found) => Promise<void>,
): Promise<number> {
  const found = await findCheckpoint(args, context);
  try {
    await work(found);
    return EXIT.ok;
  } finally {
    await found.checkpoint.close?.();
  }
}

function print(
  { source }: Checkpoint,
  stored: CheckpointValue | undefined,
  args: ParsedArgs,
  { output }: CommandContext,
): void {
  const updated = stored?.updatedAt === undefined ? undefined : new Date(stored.updatedAt).toISOString();
  const shown = { value: stored?.value ?? null, source, updated: updated ?? null };
  const { redactor } = output;
  if (args.has("json")) {
    output.result(jsonDocument(shown, redactor));
    return;
  }
  const lines = [
    `value:   ${redactor.text(shown.value ?? "none")}`,
    `source:  ${redactor.text(source)}`,
    ...(updated ? [`updated: ${updated}`] : []),
  ];
  output.result(`${lines.join("\n")}\n`);
}
