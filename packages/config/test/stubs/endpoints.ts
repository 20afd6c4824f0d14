import { COMPRESSION, FORMAT, LOGIN, NAME_BY } from "./blocks.ts";
import type { Shape } from "./shape.ts";

/** An endpoint that has no package yet: what may be written, and what is known of its sides. */
export interface EndpointStub {
  /** The package that will bring it. */
  readonly from: string;
  readonly fields?: Shape;
  /** The whole of it, when it is no map of fields. */
  readonly type?: string;
  readonly aliases?: readonly string[];
  readonly sides: "in" | "out" | "both";
  /** Of the input: has a replayable position. */
  readonly positions?: true;
  /** Of both sides, unless a field of the output says so. */
  readonly replies?: true | string;
  readonly structural?: true;
  /** Takes `name_by`. */
  readonly names?: true;
  /** Marks of single fields, and facts of the whole. */
  readonly marks?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly facts?: Readonly<Record<string, unknown>>;
}

const HTTP_AI = "url api_key:secret model! max_request_bytes:int request_timeout_ms:int tls:tls auth:any";
const SEARCH = `url! api_key:secret operation@template ${COMPRESSION} request_timeout_ms:int tls:tls`;

export const ENDPOINTS: Readonly<Record<string, EndpointStub>> = {
  aws: {
    from: "@mqb/aws",
    sides: "both",
    fields:
      "queue_url topic_arn region endpoint_url access_key:secret secret_key:secret session_token:secret max_messages:int wait_time_seconds:int binary_payload_mode:flag",
  },
  amqp: {
    from: "@mqb/amqp",
    sides: "both",
    fields: `url! queue@template subscribe_mode:flag source_metadata:flag ${LOGIN} tls:tls exchange prefetch_count:int
      no_persistence:flag no_declare_queue:flag delayed_ack:flag`,
  },
  mqtt: {
    from: "@mqb/mqtt",
    sides: "both",
    fields: `url! topic@template ${LOGIN} tls:tls client_id queue_capacity:int max_inflight:int qos:int clean_session:flag
      keep_alive_seconds:int protocol:v5|v3 session_expiry_interval:int delayed_ack:flag`,
  },
  redis_streams: {
    from: "@mqb/redis",
    sides: "both",
    aliases: ["redis"],
    fields: `url! stream group consumer_name subscriber_mode:flag block_ms:int read_from_start:flag redelivery_timeout_ms:int
      maxlen:int approx_trim:flag ${LOGIN} internal_buffer_size:int reader_connections:int tls:tls`,
  },
  zeromq: {
    from: "@mqb/zeromq",
    marks: { url: { listens: { when: "bind" } } },
    sides: "both",
    fields: `url! socket_type:push|pull|pub|sub|req|rep topic bind:flag internal_buffer_size:int
      format:json|raw|raw_framed backend:zmq|omq|try_omq request_timeout_ms:int`,
  },
  ibmmq: {
    from: "@mqb/ibmmq",
    sides: "both",
    fields: `url! queue topic queue_manager! channel! ${LOGIN} tls:mq_tls max_message_size:int wait_timeout_ms:int
      internal_buffer_size:int disable_status_inq:flag`,
  },
  mongodb: {
    from: "@mqb/mongodb",
    sides: "both",
    replies: "report_outcome",
    fields: `url! collection ${LOGIN} tls:tls database! polling_interval_ms:int reply_polling_ms:int request_reply:flag
      consume:delete|snapshot|capture_new|capture_all receive_query@template source_metadata:flag change_stream:flag checkpoint_store
      request_timeout_ms:int ttl_seconds:int capped_size_bytes:int ${FORMAT} id_field@template report_outcome:flag find@template
      aggregate_query@template cursor_id meta_collection shared:flag`,
  },
  clickhouse: {
    from: "@mqb/clickhouse",
    sides: "both",
    aliases: ["click_house"],
    fields: `url! ${LOGIN} database table! columns:any async_insert:flag wait_for_async_insert:flag lookup_query@template cursor_column
      cursor_id checkpoint_store select_columns polling_interval_ms:int max_polling_interval_ms:int request_timeout_ms:int
      connect_timeout_ms:int tls:tls ${COMPRESSION}`,
  },
  object_store: {
    from: "@mqb/object-store",
    sides: "both",
    aliases: ["objectstore", "s3"],
    positions: true,
    names: true,
    fields: `url! ${NAME_BY} ${FORMAT} csv:csv delimiter checkpoint_store cursor_id polling_interval_ms:int max_object_bytes:int
      on_decode_error:skip|fail date_partition:flag date_partition_style:nested|hive extension ${COMPRESSION}
      encryption:at_rest fsync:off|batch|periodic fsync_interval_ms:int`,
  },
  dir_spool: {
    from: "@mqb/dir-spool",
    sides: "both",
    aliases: ["spool", "dirspool"],
    positions: true,
    fields: `path! naming_pattern shard_depth:int shard_width:int payload_extension metadata_extension atomic:flag
      fsync:chunk|off done_file emit_done:never|success|end producer_file consumer_file drain_on_read:flag
      stop_on_done:flag poll_interval_ms:int source_metadata:flag claim:exclusive|warn|off`,
  },
  http_bulk: {
    from: "@mqb/http",
    sides: "both",
    aliases: ["http-bulk"],
    replies: true,
    fields: `url! headers:{secret} auth:bulk_auth upsert:bulk_upsert@template query:bulk_query@template read:bulk_read@template delete:bulk_delete@template
      operation@template delete_values:[text] max_request_bytes:int ${COMPRESSION} request_timeout_ms:int connect_timeout_ms:int
      tls:tls`,
  },
  meilisearch: {
    from: "@mqb/http",
    sides: "both",
    fields: `${SEARCH} index primary_key delete_values:[text] max_request_bytes:int connect_timeout_ms:int fields cursor_id
      checkpoint_store polling_interval_ms:int max_polling_interval_ms:int`,
  },
  typesense: { from: "@mqb/http", sides: "out", fields: `${SEARCH} collection!` },
  elasticsearch: { from: "@mqb/http", sides: "out", fields: `${SEARCH} index! id_field mode:index|update auth:any` },
  qdrant: {
    from: "@mqb/http",
    sides: "both",
    fields: `${SEARCH} collection! wait:flag cursor_id checkpoint_store`,
  },
  openai_embeddings: {
    from: "@mqb/http",
    sides: "out",
    replies: true,
    fields: `${HTTP_AI} input!@template dimensions:int`,
  },
  openai_chat: {
    from: "@mqb/http",
    sides: "out",
    replies: true,
    fields: `${HTTP_AI} system@template prompt!@template json:flag options:any concurrency:int messages_per_request:int`,
  },
  grpc: {
    from: "@mqb/grpc",
    sides: "both",
    replies: true,
    fields: `url! topic consumer_id timeout_ms:int connect_timeout_ms:int request_timeout_ms:int idle_stream_timeout_ms:int
      overall_timeout_ms:int tls:tls server_mode:flag initial_stream_window_size:int initial_connection_window_size:int
      concurrency_limit_per_connection:int http2_keepalive_interval_ms:int http2_keepalive_timeout_ms:int
      max_decoding_message_size:int max_encoding_message_size:int descriptor_set_path descriptor_set_bytes:[int]
      reflection:flag service_name method_name request:any server_streaming:flag metadata:{secret} binary_metadata:any
      bearer_token:secret api_key:secret api_key_name shared:flag`,
  },
  sled: {
    from: "@mqb/sled",
    sides: "both",
    fields: "path! tree read_from_start:flag delete_after_read:flag",
  },
};
