/** What the codes of problems mean that formats find in a configuration; for the reference. */
export const problemCodes = {
  MQB_FORMATS_CSV: "options of CSV that do not go together",
};
