/** What a package brings, as far as it helps to say which one to install. */
interface Brings {
  readonly endpoints?: readonly string[];
  readonly middlewares?: readonly string[];
  readonly stores?: readonly string[];
  readonly schemes?: readonly string[];
}

/**
 * The packages that belong to mqb, and the names that each brings. Only for messages: what is installed says for itself
 * what it brings. A name in several packages lists them all.
 */
const PACKAGES: Readonly<Record<string, Brings>> = {
  "@mqb/standard": {
    endpoints: [
      "memory",
      "null",
      "static",
      "ref",
      "response",
      "fanout",
      "switch",
      "request",
      "reader",
      "sequence",
      "stream_buffer",
    ],
    middlewares: [
      "retry",
      "dlq",
      "delay",
      "timeout",
      "limiter",
      "buffer",
      "pack",
      "unpack",
      "id",
      "weak_join",
      "random_panic",
      "cookie_jar",
      "filter",
      "metrics",
    ],
    stores: ["memory", "file"],
    schemes: ["memory", "null", "static", "response", "fanout", "switch", "request"],
  },
  "@mqb/file": { endpoints: ["file"], schemes: ["file"] },
  "@mqb/dir-spool": { endpoints: ["dir_spool", "spool", "dirspool"], schemes: ["spool", "dir-spool", "dirspool"] },
  "@mqb/kafka": { endpoints: ["kafka"], schemes: ["kafka"] },
  "@mqb/nats": { endpoints: ["nats"], schemes: ["nats"] },
  "@mqb/amqp": { endpoints: ["amqp"], schemes: ["amqp", "amqps", "rabbitmq", "rabbitmqs"] },
  "@mqb/mqtt": { endpoints: ["mqtt"], schemes: ["mqtt", "mqtts"] },
  "@mqb/redis": {
    endpoints: ["redis_streams", "redis"],
    stores: ["redis", "rediss"],
    schemes: ["redis", "rediss", "redis_streams"],
  },
  "@mqb/zeromq": { endpoints: ["zeromq"], schemes: ["zeromq", "zmq"] },
  "@mqb/aws": { endpoints: ["aws"], schemes: ["aws", "aws-sqs"] },
  "@mqb/ibmmq": { endpoints: ["ibmmq"], schemes: ["ibmmq", "ibm-mq"] },
  "@mqb/mongodb": {
    endpoints: ["mongodb"],
    stores: ["mongodb", "mongodb+srv"],
    schemes: ["mongodb", "mongodb+srv"],
  },
  "@mqb/postgres": {
    endpoints: ["sqlx", "postgres_cdc", "postgres-cdc"],
    stores: ["postgres", "postgresql"],
    schemes: ["postgres", "postgresql", "postgres-cdc", "pgcdc"],
  },
  "@mqb/mysql": {
    endpoints: ["sqlx", "mysql_cdc", "mysql-cdc"],
    stores: ["mysql", "mariadb"],
    schemes: ["mysql", "mariadb", "mysql-cdc", "mariadb-cdc"],
  },
  "@mqb/sqlite": { endpoints: ["sqlx"], stores: ["sqlite"], schemes: ["sqlite"] },
  "@mqb/clickhouse": { endpoints: ["clickhouse", "click_house"], schemes: ["clickhouse", "clickhouses"] },
  "@mqb/object-store": {
    endpoints: ["object_store", "objectstore", "s3"],
    stores: ["s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss"],
    schemes: ["local-store", "s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss"],
  },
  "@mqb/http": {
    endpoints: ["http", "http_bulk", "http-bulk", "meilisearch", "typesense", "elasticsearch"],
    schemes: ["http", "https", "http-bulk", "meilisearch", "typesense", "typesense+https", "elasticsearch"],
  },
  "@mqb/websocket": { endpoints: ["websocket"], schemes: ["ws", "wss"] },
  "@mqb/grpc": { endpoints: ["grpc"], schemes: ["grpc", "grpcs"] },
  "@mqb/transform": { middlewares: ["transform"] },
  "@mqb/lookup": { middlewares: ["lookup"] },
  "@mqb/dedup": { middlewares: ["deduplication"] },
  "@mqb/aggregate": { middlewares: ["aggregate"] },
  "@mqb/encryption": { middlewares: ["encryption"] },
  "@mqb/compression": { middlewares: ["compression"] },
  "@mqb/otel": { middlewares: ["otel"] },
};

const TABLE = { endpoint: "endpoints", middleware: "middlewares", store: "stores", scheme: "schemes" } as const;

/** The package to install for a name, e.g. `@mqb/kafka`; undefined for a name that nobody here brings. */
export function packageFor(what: keyof typeof TABLE, name: string): string | undefined {
  const bringing = Object.entries(PACKAGES).filter(([, brings]) => brings[TABLE[what]]?.includes(name));
  return bringing.length === 0 ? undefined : bringing.map(([packageName]) => packageName).join(" or ");
}

/** All names of a kind that an mqb package brings, installed or not. */
export function knownNames(what: keyof typeof TABLE): string[] {
  return [...new Set(Object.values(PACKAGES).flatMap((brings) => brings[TABLE[what]] ?? []))].sort();
}
