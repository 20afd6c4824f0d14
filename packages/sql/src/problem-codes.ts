/** What the codes of problems mean that the `sqlx` endpoint finds in a configuration; for the reference. */
export const problemCodes = {
  MQB_SQL_NO_CURSOR_ID: "`cursor_column` without `cursor_id`: no position is kept",
  MQB_SQL_CURSOR_LOSES: "`cursor_column` without `cursor_safety`: rows that are committed late can be passed over",
  MQB_SQL_LOOKUP_WRITES: "a `lookup_query` that writes",
  MQB_SQL_UNUSED: "a field that means nothing to the database in `url`",
};
