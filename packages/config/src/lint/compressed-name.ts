import type { Problem } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { membersMarked } from "../fields/field.ts";
import { problem } from "./lint.ts";
import { fieldsMarked, type Subject, settingOf } from "./subject.ts";

/**
 * In a URI the name `rows.csv.gz` says how the file is compressed, in a configuration it does not: what is written there
 * is no gzip, and what is read is taken as it is. `x-mqb-suffixes` marks the field that says it, with the suffix of each
 * of its values; `x-mqb-file` the fields that name files. Whoever writes the field means it.
 */
export function compressedName({ endpoints }: Subject): Problem[] {
  return endpoints.flatMap((part) => {
    const { written, field, middlewares } = part;
    const [codecField, suffixes] = membersMarked(field, "suffixes")[0] ?? [];
    // A middleware of this name compresses each payload by itself.
    if (codecField === undefined || !isMap(written) || middlewares.some(({ name }) => name === "compression"))
      return [];
    if ((written[codecField] ?? null) !== null) return [];
    return fieldsMarked(part, "file").flatMap((name) => {
      const path = settingOf(part, name);
      const [codec, suffix] =
        Object.entries(suffixes as Readonly<Record<string, string>>).find(
          ([, end]) => typeof path === "string" && path.endsWith(end),
        ) ?? [];
      if (codec === undefined) return [];
      const done = part.side === "input" ? "read as it is, not decompressed" : "written uncompressed";
      const message = `"${name}" of "${part.name}" ends in ${suffix}, but the file is ${done}: in a configuration its name alone says nothing`;
      const hint = `write ${codecField}: ${codec}, or ${codecField}: none if that is meant`;
      return [problem("warning", "MQB_LINT_COMPRESSED_NAME", [...part.path, name], message, hint)];
    });
  });
}
