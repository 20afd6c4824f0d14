/** Configurations without a fault, in every spelling that an editor has to understand. */
export const VALID: Readonly<Record<string, string>> = {
  "nothing at all": "",
  "comments only": "# later\n",
  "one route by name": `
routes:
  orders:
    description: From a file into a topic
    concurrency: 4
    batch_size: 128
    input:
      file: { path: orders.jsonl, format: raw }
    output:
      memory: { topic: orders, capacity: 10 }
`,
  "a bare route": `
input:
  file:
    path: /data/in.csv
    format: csv
    csv: { separator: ";", header: false, columns: [id, name] }
output:
  file: { path: out.jsonl.gz, compression: gzip }
exit_on_empty: true
startup_timeout_ms: 0
log_level: info,file=debug
`,
  "routes at the top level": `
first:
  input: { memory: { topic: a } }
second:
  input: { memory: { url: "memory://b", subscribe_mode: true } }
  output: { memory: { topic: c, request_reply: true, request_timeout_ms: 500 } }
logger: json
`,
  "an exported document": `
config:
  log_level: debug
  routes:
    r: { input: { static: hello }, output: { null: {} } }
`,
  "an output that is null": "routes: { r: { input: { static: a }, output: null } }\n",
  "an output that is the word null": 'routes: { r: { input: { static: a }, output: "null" } }\n',
  "an output that is an empty map": "routes: { r: { input: { static: a }, output: {} } }\n",
  "an output of middlewares alone": "routes: { r: { input: { static: a }, output: { middlewares: [metrics] } } }\n",
  "an output that is left out": "routes:\n  r:\n    input: { file: { path: a } }\n",
  "middlewares in every spelling": `
routes:
  r:
    input:
      static: { body: '{"id":"\${message:id}"}', raw: true, metadata: { content-type: application/json } }
      middlewares:
        - metrics
        - metrics:
        - metrics: {}
        - delay: { delay_ms: 10 }
        - filter: amount > 100
        - filter: { expression: "amount > 100", on_error: drop }
    output:
      null:
      middlewares:
        - retry: { max_attempts: 5, initial_interval_ms: 10, multiplier: 1.5, jitter: 0.2 }
        - dlq:
            endpoint:
              file: { path: dead.jsonl }
              middlewares:
                - retry: {}
                - dlq: { endpoint: { memory: { topic: deader } } }
            stop_window: 100
            stop_threshold: 20
`,
  "a dead-letter endpoint that discards": `
routes:
  r:
    input: { static: a }
    output: { file: { path: a }, middlewares: [{ dlq: { endpoint: null } }, { dlq: { endpoint: "null" } }] }
`,
  "an empty list of middlewares":
    "routes: { r: { input: { static: a, middlewares: [] }, output: { null: {}, middlewares: null } } }\n",
  "names that a host has registered": `
routes:
  r:
    input: { ref: common_queue }
    output: { custom: { name: mine, config: { anything: 1 } }, middlewares: [{ custom: { name: other, config: {} } }] }
`,
  "variables where numbers, flags and choices stand": `
routes:
  r:
    concurrency: \${WORKERS:-4}
    exit_on_empty: \${DRAIN}
    required_delivery: $GUARANTEE
    input: { file: { path: "\${DIR}/in", format: "\${FORMAT:-raw}", max_message_bytes: "\${MAX}" } }
    output: { memory: { topic: $TOPIC, capacity: $CAPACITY } }
`,
  "anchors and merge keys": `
x-retry: &retry
  retry: { max_attempts: 9 }
x-route: &route
  concurrency: 2
routes:
  r:
    <<: *route
    input: { static: a }
    output: { file: { path: a }, middlewares: [*retry] }
`,
  "options that are null": `
routes:
  r:
    concurrency: null
    batch_size:
    description:
    required_delivery: null
    input: { file: { path: a, csv: null, delete: null, group_id: null } }
`,
  "a source in each mode": `
a: { input: { file: { path: a, mode: consume, delete: true } } }
b: { input: { file: { path: b, mode: subscribe } } }
c: { input: { file: { path: c, mode: group_subscribe, group_id: g, read_from_tail: true, source_metadata: true } } }
`,
  "a sink with part files": `
routes:
  r:
    required_delivery: effectively_once
    input: { file: { path: in.jsonl } }
    output: { file: { path: parts, name_by: source_position, fsync: batch, delimiter: "0x00" } }
`,
  "a file that is written encrypted": `
routes:
  r:
    input: { static: a }
    output: { file: { path: a, compression: zstd, encryption: { key: "\${KEY}", key_id: k1 } } }
`,
  "another name of a format": "routes: { r: { input: { file: { path: a, format: envelope_json } } } }\n",
  "a deprecated spelling":
    "routes: { r: { input: { static: a }, output: { file: { path: a, idempotency: true } } } }\n",
  "settings without a route": `
log_level: warn
logger: plain
plugins: ["@mqb/kafka", ./mine.mjs]
ui_addr: ""
metrics_addr: 127.0.0.1:9090
env_vars: { A: b, N: 1 }
config_security: { mode: unencrypted }
default_tab: ""
extract_secrets: false
history: {}
routes: {}
`,
  "what a web UI has saved": `
consumers:
  - id: b75064a7
    name: r
    endpoint: { middlewares: [], file: { path: in.jsonl, delimiter: null, csv: null } }
    comment: ""
    output: { mode: publisher, publisher: r_publisher, publisher_id: "497a" }
    message_capture: { enabled: false, keep_last: 100 }
    concurrency: 1
    exit_on_empty: true
  - endpoint: { memory: { topic: a } }
    output: { mode: none }
  - endpoint: { memory: { topic: b } }
    output: { mode: response, response: { payload: ok, headers: { a: b } } }
publishers:
  - id: "497a"
    name: r_publisher
    endpoint: { middlewares: [], null: {} }
    comment: ""
    sort_order: 1
`,
  "publishers by name": "publishers: { one: { file: { path: a } }, two: { endpoint: { null: {} } } }\n",
  "a route that is switched off": "routes: { r: { enabled: false, input: { static: a } } }\n",
};

/**
 * Configurations with one fault, the line it stands in (from 1) and a word of what an editor has to say. The key `null`
 * is quoted where a fault has to be found: the language server does not look into a map with a bare one.
 */
export const FAULTY: readonly (readonly [what: string, text: string, line: number, message: RegExp])[] = [
  ["an unknown field", "routes:\n  r:\n    input:\n      file:\n        pth: a\n        path: b\n", 5, /pth/],
  ["an unknown route option", "routes:\n  r:\n    input: { static: a }\n    concurency: 4\n", 4, /concurency/],
  ["an unknown option of a bare route", "input: { static: a }\nconcurency: 4\n", 2, /concurency/],
  ["an unknown endpoint", "routes:\n  r:\n    input:\n      flie: { path: a }\n", 4, /flie/],
  [
    "two endpoints",
    "routes:\n  r:\n    input:\n      file: { path: a }\n      memory: { topic: b }\n",
    4,
    /more than one|multiple/i,
  ],
  ["no endpoint", "routes:\n  r:\n    input:\n      middlewares: []\n", 3, /Missing property|file/],
  ["no input", "routes:\n  r:\n    output:\n      file: { path: a }\n", 2, /input/],
  ["a missing field", "routes:\n  r:\n    input:\n      file: { format: raw }\n", 4, /path/],
  ["a wrong type", "routes:\n  r:\n    concurrency: many\n    input: { static: a }\n", 3, /integer|pattern/i],
  ["a number out of range", "routes:\n  r:\n    concurrency: 0\n    input: { static: a }\n", 3, /minimum|below/i],
  ["a wrong choice", "routes:\n  r:\n    input:\n      file: { path: a, format: cvs }\n", 4, /accepted|csv/],
  [
    "a flag that is a text",
    "routes:\n  r:\n    input: { file: { path: a, delete: yes please } }\n",
    3,
    /boolean|pattern/i,
  ],
  ["a map instead of a text", "routes:\n  r:\n    input: { file: { path: { a: b } } }\n", 3, /string/],
  ["a sink as a source", 'routes:\n  r:\n    input: { "null": {} }\n', 3, /null/],
  [
    "a middleware of the other side",
    "routes:\n  r:\n    input:\n      static: a\n      middlewares:\n        - retry: {}\n",
    6,
    /retry/,
  ],
  [
    "an unknown middleware",
    "routes:\n  r:\n    input:\n      static: a\n      middlewares:\n        - retrry\n",
    6,
    /accepted|Incorrect/,
  ],
  [
    "two middlewares in one entry",
    "routes:\n  r:\n    input:\n      static: a\n      middlewares:\n        - metrics: {}\n          delay: { delay_ms: 1 }\n",
    6,
    /more properties/,
  ],
  [
    "middlewares inside the endpoint",
    "routes:\n  r:\n    input:\n      file:\n        path: a\n        middlewares: []\n",
    6,
    /middlewares/,
  ],
  [
    "a fault deep inside a dead-letter endpoint",
    "routes:\n  r:\n    input: { static: a }\n    output:\n      file: { path: o }\n      middlewares:\n        - dlq:\n            endpoint:\n              file:\n                path: a\n                frmat: raw\n",
    11,
    /frmat/,
  ],
  [
    "a source as a dead-letter endpoint",
    "routes:\n  r:\n    input: { static: a }\n    output:\n      file: { path: o }\n      middlewares:\n        - dlq:\n            endpoint:\n              nosuch: {}\n",
    9,
    /nosuch/,
  ],
  ["a top-level key that is neither setting nor route", "log_levl: info\n", 1, /object|Incorrect/],
  ["a wrong logger", "logger: fancy\n", 1, /accepted|plain/],
  ["plugins that are no list", "plugins: '@mqb/kafka'\n", 1, /array/],
  ["a consumer without an endpoint", "consumers:\n  - name: a\n", 2, /endpoint/],
  [
    "a consumer with an unknown mode",
    "consumers:\n  - endpoint: { memory: { topic: a } }\n    output: { mode: nowhere }\n",
    3,
    /none|Value/,
  ],
  ["a custom endpoint without its configuration", "routes:\n  r:\n    input: { custom: { name: a } }\n", 3, /config/],
];
