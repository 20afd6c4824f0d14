import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Address } from "@mqb/testkit";
import type { SourceEnd } from "../pairs/pair.ts";

const AT_ONCE = 16;
const ANSWER_MS = 5000;
const PAUSE_MS = 20;

/** Posts rows until each has got an answer of success, as a client does that wants to lose nothing. */
export class HttpPoster {
  /** Tries that may have had an effect, although nobody has said so. */
  unclear = 0;
  private readonly target: Address;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  private readonly rows: string[] = [];
  private working = 0;
  private closed = false;

  constructor(target: Address) {
    this.target = target;
  }

  readonly source: SourceEnd = {
    append: async (rows) => {
      this.rows.push(...rows);
      while (this.working < AT_ONCE) {
        this.working++;
        void this.work();
      }
    },
    isEmpty: async () => this.rows.length === 0 && this.working === 0,
  };

  close(): void {
    this.closed = true;
    this.agent.destroy();
  }

  private async work(): Promise<void> {
    for (let row = this.rows.shift(); row !== undefined; row = this.rows.shift()) {
      while (!this.closed && !(await this.post(row))) await wait(PAUSE_MS);
    }
    this.working--;
  }

  private post(row: string): Promise<boolean> {
    return new Promise((resolve) => {
      let sent = false;
      const failed = (): void => {
        if (sent) this.unclear++;
        resolve(false);
      };
      const call = request(
        { ...this.target, method: "POST", path: "/rows", agent: this.agent, timeout: ANSWER_MS },
        (answer) => {
          answer.resume();
          answer.on("error", failed);
          answer.on("end", () => {
            const { statusCode = 0 } = answer;
            if (statusCode >= 200 && statusCode < 300) resolve(true);
            else failed();
          });
        },
      );
      call.on("socket", (socket) => {
        if (!socket.connecting) sent = true;
        else socket.once("connect", () => (sent = true));
      });
      call.on("timeout", () => call.destroy(new Error("no answer")));
      call.on("error", failed);
      call.end(row);
    });
  }
}
