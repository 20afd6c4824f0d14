import { createBridge, createRegistry, type Message } from "@mqb/core";
import file from "@mqb/file";
import http from "@mqb/http";
import standard from "@mqb/standard";

const bridge = createBridge({ registry: createRegistry([standard, file, http]) });
let sessions = 0;

/** A service: whoever comes without a session gets one, and everybody else is known by it. */
function greet(message: Message): Message {
  const cookie = message.metadata.get("mqb.src.http_cookie");
  const name = message.text();
  if (name === "") return message.with({ payload: Buffer.from("who?"), metadata: { http_status_code: "400" } });
  if (cookie !== undefined) return message.with({ payload: Buffer.from(`${name} of ${cookie}`) });
  sessions += 1;
  return message.with({ payload: Buffer.from(`welcome, ${name}`), metadata: { "set-cookie": `sid=${sessions}` } });
}

const service = bridge.route(
  "service",
  { input: { http: { url: "127.0.0.1:0", path: "/greet", method: "POST" } }, output: { response: {} } },
  { handler: greet },
);
await service.start();
const address = String(service.status().input!.details!["bound_addr"]);

// Each line of the file is one request, and each answer a line of the output. The jar keeps the cookie of the first answer.
const client = bridge.route("client", {
  exit_on_empty: true,
  concurrency: 1,
  batch_size: 1,
  input: { file: { path: "names.txt", format: "raw" } },
  output: {
    request: {
      to: { http: { url: `http://${address}/greet` }, middlewares: [{ cookie_jar: {} }] },
      forward_to: { file: { path: "out/answers.txt", format: "raw" } },
    },
  },
});
await client.start();
const { accounting } = await client.done;
console.log(`${accounting.received} asked, ${accounting.delivered} answered, ${sessions} session`);

const nobody = await fetch(`http://${address}/greet`, { method: "POST", body: "" });
console.log(`without a name: ${nobody.status} ${await nobody.text()}`);
const wrong = await fetch(`http://${address}/greet`);
console.log(`GET: ${wrong.status}, allowed is ${wrong.headers.get("allow")}`);
await service.stop();
