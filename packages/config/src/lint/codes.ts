/** What the codes of problems mean that are found by looking at routes which could start; for the reference. */
export const lintCodes = {
  MQB_LINT_NULL: "`null` has something inside; it takes nothing",
  MQB_LINT_SAME_FILE: "a route reads the file that it writes",
  MQB_LINT_COMPRESSED_NAME:
    "a file's name ends like that of a compressed one, and nothing says that it is compressed (a warning)",
  MQB_LINT_LOOP: "a route reads what it writes (a warning)",
  MQB_LINT_MODES: "two routes use one topic in ways that exclude each other",
  MQB_LINT_TAKEN: "a route takes away what another one reads (a warning)",
  MQB_LINT_PORT: "two endpoints listen on one address",
  MQB_LINT_ORDER: "a middleware stands where it does not do what it is for (a warning or a note)",
  MQB_LINT_TIMEOUT: "a time limit that a middleware inside of it uses up by waiting (a warning)",
  MQB_LINT_UNSET: "a middleware reads metadata before another one has set it (a warning)",
  MQB_LINT_CONCURRENCY:
    "a middleware or endpoint that needs the order of messages, in a route that does not keep it (a warning)",
  MQB_LINT_OTHER_SIDE: "a setting that works on the other side only (a note)",
  MQB_LINT_DEFEATED: "a setting loses its effect through a middleware (a warning)",
  MQB_LINT_TEMPLATE: "a text that looks like a template stands where none is filled in (a warning)",
  MQB_LINT_CLEAR_SECRET: "a secret is written into the configuration (a note)",
  MQB_LINT_URL_PASSWORD: "a password in a URL has a character that ends it there (an error)",
  MQB_LINT_PLAIN_TRANSPORT: "a secret goes over the network unencrypted (a warning)",
  MQB_LINT_CERTIFICATES: "certificates are not checked (a warning)",
  MQB_LINT_TLS: "a `tls` block contradicts its URL or itself (an error), or nothing turns it on (a warning)",
  MQB_LINT_DEAD_LETTERS: "what fails at an endpoint is sent to that endpoint again (a warning)",
  MQB_LINT_FRESH_IDS: "a middleware tells messages apart by ids that are new at each reading (a warning)",
  MQB_LINT_NO_ANSWER: "a response goes to an input that cannot pass it on (a warning)",
} as const;
