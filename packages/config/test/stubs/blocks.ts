import type { Shape } from "./shape.ts";

const CODECS = "none|gzip|lz4|zstd";
const FORMATS = "normal|json|text|raw|csv|parquet|envelope|envelope_json|envelope_text|payload";

/** Shapes that several stubs share, or that are nested in one. */
export const BLOCKS: Readonly<Record<string, Shape>> = {
  tls: "required:flag ca_file cert_file key_file cert_password:secret accept_invalid_certs:flag",
  mq_tls:
    "required:flag cipher_spec cert_file cert_password:secret accept_invalid_certs:flag key_repository key_repository_password:secret",
  at_rest: "cipher:xchacha20poly1305|aes256gcm key_id key!:secret@template decrypt_keys:{secret}@template",
  csv: "separator quote header:flag columns:[text] nested:flatten|json on_mismatch:warn|fail",
  switch_case: "if! to!:out",
  bulk_auth: "oauth2:any aws_sigv4:any login:any",
  bulk_upsert:
    "path! method format:ndjson|json_array content_type action envelope document result:any split_on_reject:flag max_documents:int",
  bulk_query:
    "path! method format:ndjson|json_array content_type request! envelope responses value found error per_message:flag parse_value:flag concurrency:int max_messages:int responses_text index stop_reason split_on_reject:flag",
  bulk_cursor: "response item add:int start:any end_when_missing:flag next_url link:flag",
  bulk_read:
    "path! method body items cursor:bulk_cursor cursor_id checkpoint_store polling_interval_ms:int max_polling_interval_ms:int stream:sse|ndjson payload payload_encoding:base64|none",
  bulk_delete: "path! method id_field max_ids:int envelope line result:any",
  position: "cursor_id checkpoint_store polling_interval_ms:int max_polling_interval_ms:int",
};

export const COMPRESSION = `compression:${CODECS}`;
export const FORMAT = `format:${FORMATS}`;
export const NAME_BY = "name_by:auto|source_position|write_time idempotency:flag";
/** User name and password beside the URL. */
export const LOGIN = "username password:secret";
