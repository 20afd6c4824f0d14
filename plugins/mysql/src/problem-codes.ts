/** What the codes of problems mean that the `mysql_cdc` endpoint finds in a configuration; for the reference. */
export const problemCodes = {
  MQB_MYSQL_UNUSED: "a field of the log or of the position where neither is used",
};
