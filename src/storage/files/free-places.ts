/** First-fit allocator of a range of numbers. */

interface Place {
  start: number;
  end: number;
}

export class FreePlaces {
  /** Ascending, without adjacent ranges. */
  readonly #places: Place[];

  constructor(length: number) {
    this.#places = [{ start: 0, end: length }];
  }

  /** First number of a free run of `count` numbers; null if there is none. */
  take(length: number): number | null {
    const at = this.#places.findIndex(({ start, end }) => end - start >= length);
    const place = this.#places[at];
    if (place === undefined) return null;
    const { start } = place;
    place.start += length;
    if (place.start === place.end) this.#places.splice(at, 1);
    return start;
  }

  /** Frees an allocated run. */
  giveBack(start: number, length: number): void {
    const end = start + length;
    const next = this.#places.findIndex((place) => place.start >= end);
    const at = next < 0 ? this.#places.length : next;
    const before = this.#places[at - 1];
    const after = this.#places[at];
    const joins = before?.end === start;
    if (joins && after?.start === end) {
      before.end = after.end;
      this.#places.splice(at, 1);
    } else if (joins) before.end = end;
    else if (after?.start === end) after.start = start;
    else this.#places.splice(at, 0, { start, end });
  }
}
