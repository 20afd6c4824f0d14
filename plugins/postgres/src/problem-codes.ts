/** What the codes of problems mean that the `postgres_cdc` endpoint finds in a configuration; for the reference. */
export const problemCodes = {
  MQB_POSTGRES_NO_STORE: "`cursor_id` without `checkpoint_store`: it names nothing",
  MQB_POSTGRES_READS_AGAIN: "`capture_all` without `checkpoint_store`: every start reads the tables from the beginning",
  MQB_POSTGRES_UNUSED: "a field of the slot with `consume: snapshot`, which uses none",
};
