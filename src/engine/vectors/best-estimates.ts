/** The highest estimates with their numbers, as a heap with the least on top; at least one. */
export class BestEstimates {
  readonly estimates: Float32Array;
  readonly numbers: Uint32Array;
  size = 0;

  constructor(capacity: number) {
    this.estimates = new Float32Array(capacity);
    this.numbers = new Uint32Array(capacity);
  }

  /** What an estimate must reach to be kept. */
  get least(): number {
    return this.size < this.estimates.length ? -Infinity : this.estimates[0]!;
  }

  offer(number: number, estimate: number): void {
    if (this.size < this.estimates.length) this.#raise(this.size++, number, estimate);
    else if (estimate > this.estimates[0]!) this.#sink(0, this.size, number, estimate);
  }

  /** Sorts by descending estimate; the end of its life as a heap. */
  sort(): void {
    for (let end = this.size - 1; end > 0; end--) {
      const number = this.numbers[end]!;
      const estimate = this.estimates[end]!;
      this.#set(end, this.numbers[0]!, this.estimates[0]!);
      this.#sink(0, end, number, estimate);
    }
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

  #sink(from: number, size: number, number: number, estimate: number): void {
    const { estimates, numbers } = this;
    let place = from;
    for (let child = place * 2 + 1; child < size; child = place * 2 + 1) {
      if (child + 1 < size && estimates[child + 1]! < estimates[child]!) child++;
      if (estimates[child]! >= estimate) break;
      this.#set(place, numbers[child]!, estimates[child]!);
      place = child;
    }
    this.#set(place, number, estimate);
  }
}
