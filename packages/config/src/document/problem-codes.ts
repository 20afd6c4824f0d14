/** What the codes of problems mean that a document has before its routes are looked at; for the reference. */
export const problemCodes = {
  MQB_CONFIG_SYNTAX: "the document is not YAML or JSON",
  MQB_CONFIG_DUPLICATE_KEY: "a map has the same key twice",
  MQB_CONFIG_DUPLICATE_ROUTE: "two routes have the same name",
  MQB_CONFIG_TOO_MUCH: "anchors and aliases make the document too large or too deep",
  MQB_CONFIG_VARIABLE: "a variable is not set; the reference stays as written",
  MQB_CONFIG_AMBIGUOUS: "`config` stands beside other keys, so it may be a route or the whole configuration",
  MQB_CONFIG_NOT_AVAILABLE: "a part of mq-bridge's configuration that mqb does not have",
  MQB_CONFIG_UNKNOWN_KEY: "a top-level key is neither a setting nor a route",
};
