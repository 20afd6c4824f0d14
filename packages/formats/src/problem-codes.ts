/** What the codes of problems mean that this package finds in a configuration; for the reference. */
export const problemCodes = {
  MQB_FORMATS_CSV: "a `csv` block that cannot be meant so: a separator, quote, escape or column list that does not fit",
};
