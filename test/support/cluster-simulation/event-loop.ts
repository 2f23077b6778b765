/** Simulated time: runs events in the order of their times. */
interface Event {
  readonly atMs: number;
  /** Order among events of one time. */
  readonly order: number;
  readonly run: () => void;
}

const isBefore = (a: Event, b: Event): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

export class EventLoop {
  nowMs = 0;
  #count = 0;
  /** Binary heap, the next event first. */
  readonly #heap: Event[] = [];

  after(delayMs: number, run: () => void): void {
    const event = { atMs: this.nowMs + delayMs, order: this.#count++, run };
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, event)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  /** Runs until `isOver` or the time; false at the time. */
  run(endMs: number, isOver: () => boolean = () => false): boolean {
    for (;;) {
      if (isOver()) return true;
      const [next] = this.#heap;
      if (next === undefined || next.atMs > endMs) return false;
      this.#dropFirst();
      this.nowMs = next.atMs;
      next.run();
    }
  }

  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
  }
}
