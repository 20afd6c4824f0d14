/** What the codes of problems mean that the file endpoint finds in a configuration; for the reference. */
export const problemCodes = {
  MQB_FILE_TEMPLATE: "a template token in `path` or `group_id`, which are fixed names",
  MQB_FILE_DELIMITER: "a `delimiter` that is empty or longer than 16 bytes",
  MQB_FILE_CSV_UNUSED: "a `csv` block beside another `format`; it has no effect",
  MQB_FILE_GROUP: "`mode: group_subscribe` without a `group_id`, or one that cannot be part of a file name",
  MQB_FILE_MODE_MISSING: "`delete`, `group_id` or `read_from_tail` without a written `mode`; it has no effect",
  MQB_FILE_MODE_FIELD: "a field that belongs to another `mode`",
  MQB_FILE_COMPRESSED_MODE: "`compression` on a source that does not read the whole file, or cuts it",
  MQB_FILE_ENCRYPTED_MODE: "`encryption` on a source that does not read the whole file, or cuts it",
  MQB_FILE_CSV_DELETE: "`format: csv` with `mode: subscribe` and `delete: true`",
  MQB_FILE_OVERSIZE_CSV: "`on_oversize: skip` with `format: csv`",
  MQB_FILE_DEPRECATED: "an old spelling that still works",
  MQB_FILE_CSV_PARTS: "`format: csv` with `name_by: source_position`",
  MQB_FILE_UNUSED: "a field of the other side of a route; it has no effect",
  MQB_FILE_FSYNC_INTERVAL: "`fsync_interval_ms` without `fsync: periodic`; it has no effect",
};
