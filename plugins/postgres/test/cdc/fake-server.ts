import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

const READY = Buffer.from("Z\0\0\0\x05I");
const LET_IN = Buffer.concat([Buffer.from("R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x2a\0\0\0\x01"), READY]);
const COPY_BOTH = Buffer.from("W\0\0\0\x07\0\0\0");
const ENDED = Buffer.concat([Buffer.from("c\0\0\0\x04C\0\0\0\x0bCOPY 0\0"), READY]);
const [QUERY, DATA, DONE, TERMINATE] = [81, 100, 99, 88];

/** A server that lets everybody in, begins a stream for each query, and says nothing but what a test lets it say. */
export class FakeServer {
  /** The positions that it has heard, as they came. */
  readonly confirmed: bigint[] = [];
  private readonly server: Server;
  private socket: Socket | undefined;
  private streaming: () => void = () => {};
  readonly started: Promise<void> = new Promise((resolve) => {
    this.streaming = resolve;
  });

  private constructor() {
    this.server = createServer((socket) => this.serve(socket));
  }

  static async listen(): Promise<FakeServer> {
    const fake = new FakeServer();
    await new Promise<void>((resolve) => fake.server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `postgres://u@127.0.0.1:${(this.server.address() as AddressInfo).port}/d?sslmode=disable`;
  }

  /** Frames of a recorded stream. */
  send(frames: Buffer): void {
    this.socket!.write(frames);
  }

  /** A message of pgoutput, in its frame. */
  message(message: Buffer, wal = 0n): void {
    const head = Buffer.alloc(30);
    head[0] = DATA;
    head.writeUInt32BE(29 + message.length, 1);
    head[5] = 119;
    head.writeBigUInt64BE(wal, 14);
    this.send(Buffer.concat([head, message]));
  }

  async close(): Promise<void> {
    this.socket?.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(socket: Socket): void {
    let bytes = Buffer.alloc(0);
    let isIn = false;
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (;;) {
        const head = isIn ? 1 : 0;
        if (bytes.length < head + 4 || bytes.length < head + bytes.readUInt32BE(head)) return;
        const size = head + bytes.readUInt32BE(head);
        if (isIn) this.heard(socket, bytes[0]!, bytes.subarray(5, size));
        else socket.write(LET_IN);
        isIn = true;
        bytes = bytes.subarray(size);
      }
    });
  }

  private heard(socket: Socket, kind: number, body: Buffer): void {
    if (kind === QUERY) {
      this.socket = socket;
      socket.write(COPY_BOTH);
      this.streaming();
    } else if (kind === DATA) this.confirmed.push(body.readBigUInt64BE(1));
    else if (kind === DONE) socket.write(ENDED);
    else if (kind === TERMINATE) socket.end();
  }
}
