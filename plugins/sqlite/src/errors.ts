import { defineErrors, errorRow } from "@mqb/core/plugin";

/** What only SQLite has; everything else is an error of `@mqb/sql`. */
export const sqliteErrors = defineErrors("MQB_SQLITE", {
  NO_SQLITE: errorRow<{ version: string; package: string }>({
    kind: "config",
    message: (p) => `Node ${p.version} has no SQLite, and ${p.package} could not be loaded`,
    hint: (p) => `install ${p.package}, or run Node 22.16 or later`,
  }),
  NOT_THERE: errorRow<{ path: string }>({
    kind: "config",
    message: (p) => `there is no database ${p.path}`,
    hint: "check the path; outputs create it unless the URL has a mode, inputs with ?mode=rwc",
  }),
  CANNOT_OPEN: errorRow<{ path: string; reason: string }>({
    kind: "config",
    message: (p) => `the database ${p.path} cannot be opened: ${p.reason}`,
  }),
});
