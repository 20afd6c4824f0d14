/** A write in its line. */
export interface Place {
  /** All of it is with its connections. */
  hasBegun: boolean;
  /** Something of it is to be written again. */
  isUnsure: boolean;
}

/**
 * The writes to one topic, in their order. One begins when those before it have begun, and not while something of them is to be
 * written again; what has to be repeated goes one after the other: the records of a partition keep their order.
 */
export class Line {
  private readonly places: Place[] = [];
  private waiting: (() => void)[] = [];

  join(): Place {
    const place = { hasBegun: false, isUnsure: false };
    this.places.push(place);
    return place;
  }

  leave(place: Place): void {
    this.places.splice(this.places.indexOf(place), 1);
    this.wake();
  }

  begin(place: Place): void {
    place.hasBegun = true;
    this.wake();
  }

  get isEmpty(): boolean {
    return this.places.length === 0;
  }

  /** Before something is written for the first time. Undefined = at once. */
  turn(place: Place): Promise<void> | undefined {
    return this.isHeldUp(place) ? this.until(() => !this.isHeldUp(place)) : undefined;
  }

  /** Before something is written again: everything that came earlier is settled then. */
  async turnAgain(place: Place): Promise<void> {
    await this.until(() => this.places[0] === place);
  }

  private isHeldUp(place: Place): boolean {
    for (const one of this.places) {
      if (one === place) return false;
      if (one.isUnsure || !one.hasBegun) return true;
    }
    return false;
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private async until(isTime: () => boolean): Promise<void> {
    while (!isTime()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
