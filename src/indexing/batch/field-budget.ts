/**
 * Counts the distinct field names of an index. Skips the lookup while the limit cannot be reached.
 */

import type { OpenedSegment } from '../files/segment-cache.ts';
import { FIELDS_MAX } from '../payload/parse-payload.ts';

export class FieldBudget {
  readonly #segments: readonly OpenedSegment[];
  readonly #added: (readonly string[])[] = [];
  #upperBound: number;

  constructor(segments: readonly OpenedSegment[]) {
    this.#segments = segments;
    this.#upperBound = segments.reduce((sum, { reader }) => sum + reader.fields.length, 0);
  }

  /** False, and nothing added, when the index would have too many fields. */
  add(paths: readonly string[]): boolean {
    if (this.#upperBound + paths.length > FIELDS_MAX) {
      const all = new Set<string>();
      for (const { reader } of this.#segments) for (const path of reader.fields) all.add(path);
      for (const list of [...this.#added, paths]) for (const path of list) all.add(path);
      if (all.size > FIELDS_MAX) return false;
    }
    this.#upperBound += paths.length;
    this.#added.push(paths);
    return true;
  }
}
