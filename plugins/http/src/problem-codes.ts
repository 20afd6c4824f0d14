/** What the codes of problems mean that the http endpoint finds in a configuration; for the reference. */
export const problemCodes = {
  MQB_HTTP_WORKERS: "`workers` on an input; it has no effect",
  MQB_HTTP_TLS: "an input with an https:// address that nothing turns TLS on for",
  MQB_HTTP_METHOD: "a `method` that would open a tunnel",
  MQB_HTTP_HEADER: "a `custom_headers` entry that cannot be sent, or that the connection sets by itself",
};
