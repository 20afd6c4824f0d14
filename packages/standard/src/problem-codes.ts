/** What the codes of problems mean that these endpoints and middlewares find in a configuration; for the reference. */
export const problemCodes = {
  MQB_STANDARD_FAULTS_NO_END: "`random_panic` fails every receive of a route that ends with its source (a warning)",
  MQB_STANDARD_FAULTS_OFF: "`random_panic` in a route that does not allow faults to be injected (a note)",
  MQB_STANDARD_ID_NEW_EACH_TIME: "an `id` that is another one each time the message is read (a warning)",
  MQB_STANDARD_JOIN_NO_BRANCHES: "`required` of a `weak_join` without `branch_by` (a warning)",
  MQB_STANDARD_DLQ_BEFORE_RETRY: "`dlq` listed before `retry`: exhausted retries never reach it (a warning)",
  MQB_STANDARD_MEMORY_OTHER_SIDE:
    "an option of a memory endpoint that works on the other side only (a warning or note)",
  MQB_STANDARD_MEMORY_ONE_WAY: "an option of a memory endpoint that does not work between processes",
  MQB_STANDARD_REQUEST_NEVER_REPLIES: "`request.to` is an endpoint that never replies",
  MQB_STANDARD_SEQUENCE_FORGETS:
    "a later phase of a `sequence` with a setting because of which nothing is kept for it while no route runs",
  MQB_STANDARD_SEQUENCE_HALF:
    "one of the two settings that keep the phase of a `sequence`, without the other (a warning)",
  MQB_STANDARD_STREAM_WITHOUT_ID: "a `stream_buffer` input that does not say which stream it reads",
  MQB_STANDARD_STREAM_ID_IGNORED:
    "a `correlation_id` on a `stream_buffer` output, which goes by that of each message (a warning)",
};
