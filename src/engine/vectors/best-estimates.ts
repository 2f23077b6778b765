/** The highest estimates with their numbers, as a heap with the least at the root. */
export class BestEstimates {
  readonly estimates: Float32Array;
  readonly numbers: Uint32Array;
  size = 0;

  constructor(capacity: number) {
    this.estimates = new Float32Array(capacity);
    this.numbers = new Uint32Array(capacity);
  }

  get capacity(): number {
    return this.estimates.length;
  }

  get isFull(): boolean {
    return this.size === this.capacity;
  }

  /** An estimate is kept if it exceeds this. */
  get least(): number {
    return this.isFull ? this.estimates[0]! : -Infinity;
  }

  /** Offers all of these. */
  offerAll({ numbers, estimates, size }: BestEstimates): void {
    for (let i = 0; i < size; i++) this.offer(numbers[i]!, estimates[i]!);
  }

  /** Sorts the highest first; nothing can be offered afterwards. */
  sort(): void {
    const { estimates, numbers, size } = this;
    while (this.size > 1) {
      const last = --this.size;
      const number = numbers[last]!;
      const estimate = estimates[last]!;
      this.#set(last, numbers[0]!, estimates[0]!);
      this.#replaceLeast(number, estimate);
    }
    this.size = size;
  }

  /** Returns whether it is kept. */
  offer(number: number, estimate: number): boolean {
    if (!this.isFull) this.#raise(this.size++, number, estimate);
    else if (estimate > this.estimates[0]!) this.#replaceLeast(number, estimate);
    else return false;
    return true;
  }

  #set(place: number, number: number, estimate: number): void {
    this.numbers[place] = number;
    this.estimates[place] = estimate;
  }

  #raise(from: number, number: number, estimate: number): void {
    const { estimates, numbers } = this;
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (estimates[parent]! <= estimate) break;
      this.#set(place, numbers[parent]!, estimates[parent]!);
      place = parent;
    }
    this.#set(place, number, estimate);
  }

  #replaceLeast(number: number, estimate: number): void {
    const { estimates, numbers, size } = this;
    let place = 0;
    for (let child = place * 2 + 1; child < size; child = place * 2 + 1) {
      if (child + 1 < size && estimates[child + 1]! < estimates[child]!) child++;
      if (estimates[child]! >= estimate) break;
      this.#set(place, numbers[child]!, estimates[child]!);
      place = child;
    }
    this.#set(place, number, estimate);
  }
}
