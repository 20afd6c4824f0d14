import { CODEC_NAMES } from "@mqb/formats";
import { tlsSchema } from "@mqb/tls";
import * as z from "zod";
import { field, integer, milliseconds } from "./fields.ts";
import { signatureSchema } from "./webhook/schema.ts";

const name = z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, { error: "expected the name of a header" });
const methodName = z.string().regex(/^[A-Za-z][A-Za-z-]*$/, { error: "expected an HTTP method" });
const input = { "x-mqb-side": "input" } as const;
const output = { "x-mqb-side": "output" } as const;

/** What a user writes under `http:`. Types, checks, defaults, the JSON Schema and the reference come from it. */
export const httpSchema = z.strictObject({
  url: z
    .string()
    .min(1, { error: "expected an address" })
    .meta({
      description: "Input: the address to listen on, `host:port`. Output: the URL to send to.",
      examples: ["0.0.0.0:8080", "https://api.example/orders"],
      "x-mqb-listens": { side: "input", apart: ["path", "method"] },
    }),
  path: z
    .string()
    .nullish()
    .meta({
      description: "The exact path of the requests to take. Without it any path that no other route names.",
      examples: ["/orders"],
      ...input,
    }),
  method: methodName.nullish().meta({
    description: "Input: the method to take, others get 405 [any]. Output: the method to send with [POST].",
    examples: ["POST"],
  }),
  tls: tlsSchema.nullish().meta({
    description:
      "Input: needs cert_file and key_file; with ca_file clients have to show a certificate. Output: files for an https URL.",
  }),
  workers: field(integer(0), 0, {
    description: "Threads of the server in the original. Without effect here: one thread serves all connections.",
    ...input,
  }),
  message_id_header: field(name, "message-id", {
    description: "The header that holds the id of the message: a UUID, hex digits with `0x`, or decimal digits.",
    ...input,
  }),
  idempotency_key_header: name.nullish().meta({
    description:
      "Our addition. Input: a header whose text gives a message without an id one, always the same for the same text. Output: the header to send the id in, which makes it safe to send a request again.",
    examples: ["idempotency-key"],
  }),
  request_id_header: name.nullish().meta({
    description:
      "Our addition: a header of every answer of the route. It holds what the request had there, or else the id of its message.",
    examples: ["x-request-id"],
    ...input,
  }),
  request_timeout_ms: field(milliseconds(1), 30_000, {
    description:
      "Input: longest wait for the body, and for the route. Output: longest time of a request with its answer.",
  }),
  internal_buffer_size: field(integer(1), 100, {
    description: "Requests that are accepted before the route reads them. Others wait a moment, and then get 503.",
    ...input,
  }),
  fire_and_forget: field(z.boolean(), false, {
    description: "Answer 202 before the route has the message: it is lost if the route fails.",
    ...input,
  }),
  pass_through_status: field(z.boolean(), false, {
    description:
      "Output: every status is an answer, also 404 or 500. Input: a failure that may pass is 502 instead of 500.",
  }),
  receive_streamable: field(z.boolean(), false, {
    description: "Make messages of a body while it arrives: lines of NDJSON, events of an event stream, else chunks.",
    ...input,
  }),
  inline_response_fast_path: field(z.boolean(), true, {
    description: "Leave headers out of an answer that are the request's own. `false` sends them all back.",
    ...input,
  }),
  server_protocol: field(z.enum(["auto", "http1_only", "http2_only"]), "auto", {
    description: "Protocols that are spoken. Without TLS, HTTP/2 is taken by prior knowledge (h2c).",
    ...input,
  }),
  stream_response_to: z
    .unknown()
    .optional()
    .meta({
      description: "Where the items of an answer go while it arrives, with a last one that says how it ended.",
      examples: [{ stream_buffer: { topic: "answers" } }],
      "x-mqb-endpoint": "output",
      ...output,
    }),
  batch_concurrency: field(integer(1), 20, {
    description: "Requests of one batch at a time. With more than 1 they arrive in any order.",
    ...output,
  }),
  tcp_keepalive_ms: field(milliseconds(), 60_000, {
    description: "Quiet time before a connection is probed; 0 = never.",
    ...output,
  }),
  pool_idle_timeout_ms: field(milliseconds(1), 90_000, {
    description: "How long an unused connection is kept, unless the server asks for less.",
    ...output,
  }),
  compression: field(z.enum(CODEC_NAMES), "none", {
    description: "Codec of the request bodies; wins over `compression_enabled`.",
    ...output,
  }),
  compression_enabled: z.boolean().nullish().meta({
    default: false,
    description: "Output: gzip for the request bodies. Input: compress answers as the client accepts it.",
  }),
  compression_threshold_bytes: field(integer(0), 1024, { description: "Smaller bodies are not compressed." }),
  concurrency_limit: field(integer(1), 100, {
    description: "Requests that are worked on at once. Others wait a moment, and then get 503.",
    ...input,
  }),
  header_read_timeout_ms: milliseconds(1)
    .nullish()
    .meta({
      description: "How long a client may take to send the head of a request [60000].",
      ...input,
    }),
  max_body_bytes: field(integer(1), 268_435_456, {
    description:
      "Largest body, also when decompressed. Input: larger requests get 413. Output (our addition): answers.",
  }),
  basic_auth: z
    .tuple([z.string().meta({ secret: true }), z.string().meta({ secret: true })])
    .nullish()
    .meta({ description: "User and password. Input: clients have to give them. Output: they are sent." }),
  webhook_signature: signatureSchema.nullish().meta({
    description: "Our addition. Input: requests have to be signed with the secret, others get 401. Output: sign them.",
  }),
  custom_headers: z
    .record(name, z.string().meta({ secret: true }))
    .nullish()
    .meta({
      default: {},
      description: "Headers to add to requests or answers. They win over metadata of the same name.",
      examples: [{ "x-api-key": "${KEY}" }],
    }),
  shared: field(z.boolean(), true, {
    description: "Use the connections together with other outputs to the same server.",
    ...output,
  }),
});

/** An http endpoint as written. */
export type HttpOptions = z.input<typeof httpSchema>;
export type HttpConfig = z.output<typeof httpSchema>;
