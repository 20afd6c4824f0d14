/** What the codes of problems mean that these endpoints and middlewares find in a configuration; for the reference. */
export const problemCodes = {
  MQB_STANDARD_DLQ_BEFORE_RETRY: "`dlq` listed before `retry`: exhausted retries never reach it (a warning)",
  MQB_STANDARD_MEMORY_OTHER_SIDE: "an option of a memory endpoint that works on the other side only (a warning)",
  MQB_STANDARD_REQUEST_NEVER_REPLIES: "`request.to` is an endpoint that never replies",
  MQB_STANDARD_STREAM_WITHOUT_ID: "a `stream_buffer` input that does not say which stream it reads",
  MQB_STANDARD_STREAM_ID_IGNORED:
    "a `correlation_id` on a `stream_buffer` output, which goes by that of each message (a warning)",
};
