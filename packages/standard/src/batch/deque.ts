/** A queue that is also put back to at its front; every operation takes constant time. */
export class Deque<T> {
  /** Put back; the last one is the first of the queue. */
  private readonly front: T[] = [];
  private back: T[] = [];
  private head = 0;

  get length(): number {
    return this.front.length + this.back.length - this.head;
  }

  push(value: T): void {
    this.back.push(value);
  }

  unshift(value: T): void {
    this.front.push(value);
  }

  /** The value at a position from the front. */
  at(index: number): T | undefined {
    const { length } = this.front;
    return index < length ? this.front[length - 1 - index] : this.back[this.head + index - length];
  }

  shift(): T | undefined {
    if (this.front.length > 0) return this.front.pop();
    if (this.head === this.back.length) return undefined;
    const value = this.back[this.head]!;
    this.back[this.head++] = undefined as T;
    if (this.head === this.back.length) {
      this.back = [];
      this.head = 0;
    } else if (this.head > 1024 && this.head * 2 > this.back.length) {
      this.back = this.back.slice(this.head);
      this.head = 0;
    }
    return value;
  }

  /** Everything, in order; the queue is empty then. */
  drain(): T[] {
    const all = [...this.front.reverse(), ...this.back.slice(this.head)];
    this.front.length = 0;
    this.back = [];
    this.head = 0;
    return all;
  }
}
