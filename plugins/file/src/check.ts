import type { CheckContext, Finding, Side } from "@mqb/core/plugin";
import { checkCsv, checkEncryption, parseDelimiter } from "@mqb/formats";
import { DEFAULT_MAX_MESSAGE, deletes, type FileConfig, modeOf, writesParts } from "./config.ts";
import type { problemCodes } from "./problem-codes.ts";

/** `${payload:id}`, `${now:date}`, `${env:X}`: what message templates replace. */
const MESSAGE_TOKEN = /\$\{[A-Za-z_][\w.]*:[^}]*\}/;

/** Faults of a configuration that its shape alone does not show. Looks at no file. */
export function checkFile(config: FileConfig, context: Pick<CheckContext, "side" | "service">): Finding[] {
  const findings: Finding[] = [];
  const add: Add = (level, path, code, message, hint) => {
    findings.push({ level, path, code: `MQB_FILE_${code}`, message, ...(hint ? { hint } : {}) });
  };
  if (config.encryption != null) findings.push(...checkEncryption(config.encryption, context));
  for (const field of ["path", "group_id"] as const) {
    const token = MESSAGE_TOKEN.exec(config[field] ?? "")?.[0];
    if (token === undefined) continue;
    const message = `file.${field} holds ${token}, but it is no template: the text would become part of a file's name`;
    add("error", [field], "TEMPLATE", message, "a variable is written ${NAME}, without a colon");
  }
  if (parseDelimiter(config.delimiter) === undefined)
    add("error", ["delimiter"], "DELIMITER", "file.delimiter must have 1 to 16 bytes");
  if (config.format === "csv") findings.push(...checkCsv(config.csv ?? undefined, config.delimiter, context.side));
  else if (config.csv != null)
    add(
      "warning",
      ["csv"],
      "CSV_UNUSED",
      `the csv block has no effect with format: ${config.format}`,
      "set format: csv",
    );
  for (const { field, side, unset } of ONE_SIDED) {
    const value = config[field];
    if (side === context.side || value == null || value === unset) continue;
    const message = `file.${field} has no effect on an ${context.side}, only on an ${side}`;
    add("warning", [field], "UNUSED", message, "remove it");
  }
  if (context.side === "input") checkSource(config, add);
  else checkSink(config, add);
  return findings;
}

/** Fields that one side alone looks at, and the value that says as much as nothing. */
const ONE_SIDED: readonly { field: keyof FileConfig; side: Side; unset?: unknown }[] = [
  { field: "mode", side: "input" },
  { field: "delete", side: "input", unset: false },
  { field: "group_id", side: "input" },
  { field: "read_from_tail", side: "input", unset: false },
  { field: "source_metadata", side: "input", unset: false },
  { field: "max_message_bytes", side: "input", unset: DEFAULT_MAX_MESSAGE },
  { field: "on_oversize", side: "input", unset: "fail" },
  { field: "name_by", side: "output", unset: "auto" },
  { field: "idempotency", side: "output" },
  { field: "fsync", side: "output", unset: "off" },
  { field: "fsync_interval_ms", side: "output" },
];

type Code = keyof typeof problemCodes extends `MQB_FILE_${infer Code}` ? Code : never;
type Add = (level: Finding["level"], path: string[], code: Code, message: string, hint?: string) => void;

function checkSource(config: FileConfig, add: Add): void {
  const mode = modeOf(config);
  if (mode === "group_subscribe" && config.group_id == null)
    add("error", ["group_id"], "GROUP", "file.mode: group_subscribe needs file.group_id");
  if (config.group_id != null && /[/\\\0]/.test(config.group_id))
    add("error", ["group_id"], "GROUP", "file.group_id becomes part of a file name and must not hold / or \\");
  if (config.mode === undefined) {
    for (const field of ["delete", "group_id", "read_from_tail"] as const) {
      if (config[field] == null || config[field] === false) continue;
      // Refused below, mode or not.
      if (field === "delete" && (config.compression !== "none" || config.encryption != null)) continue;
      add(
        "warning",
        [field],
        "MODE_MISSING",
        `file.${field} has no effect without a written file.mode`,
        modeHint(field),
      );
    }
  } else {
    if (mode === "group_subscribe" && config.delete === true)
      add("error", ["delete"], "MODE_FIELD", "file.delete works with mode: consume or subscribe");
    if (mode !== "group_subscribe" && config.group_id != null)
      add("error", ["group_id"], "MODE_FIELD", "file.group_id belongs to mode: group_subscribe");
    if (mode !== "group_subscribe" && config.read_from_tail === true)
      add("error", ["read_from_tail"], "MODE_FIELD", "file.read_from_tail belongs to mode: group_subscribe");
  }
  if (config.compression !== "none") checkPacked("compression", "compressed", config, add);
  if (config.encryption != null) checkPacked("encryption", "encrypted", config, add);
  if (config.format === "csv" && mode === "subscribe" && deletes(config))
    add("error", ["delete"], "CSV_DELETE", "file.format: csv does not go with mode: subscribe and delete: true");
  if (config.format === "csv" && config.on_oversize === "skip")
    add(
      "error",
      ["on_oversize"],
      "OVERSIZE_CSV",
      "file.on_oversize: skip does not go with format: csv",
      "a row that is too long mostly is a quote that is never closed",
    );
}

function checkPacked(field: "compression" | "encryption", done: string, config: FileConfig, add: Add): void {
  const mode = modeOf(config);
  const code = field === "compression" ? "COMPRESSED_MODE" : "ENCRYPTED_MODE";
  if (mode !== "consume")
    add("error", [field], code, `file.${field} works with mode: consume only, not with mode: ${mode}`);
  if (config.delete === true)
    add("error", [field], code, `file.${field} does not go with delete: true: nothing can be cut from ${done} data`);
}

function modeHint(field: string): string {
  return field === "delete" ? "write mode: consume beside it" : "write mode: group_subscribe beside it";
}

function checkSink(config: FileConfig, add: Add): void {
  if (config.idempotency != null) {
    add(
      "warning",
      ["idempotency"],
      "DEPRECATED",
      "file.idempotency is the old spelling of file.name_by",
      config.idempotency ? "write name_by: source_position" : "write name_by: write_time",
    );
  }
  if (writesParts(config) && config.format === "csv")
    add(
      "error",
      ["format"],
      "CSV_PARTS",
      "file.format: csv does not go with name_by: source_position: each part would need its own header",
    );
  if (config.fsync_interval_ms != null && config.fsync !== "periodic")
    add(
      "warning",
      ["fsync_interval_ms"],
      "FSYNC_INTERVAL",
      "file.fsync_interval_ms has no effect without fsync: periodic",
    );
}
