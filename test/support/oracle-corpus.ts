/**
 * What an index remembers of its documents (relevance.md 1.3-1.5), kept as plain lists: the facts
 * the search oracle reasons from.
 */
import { hasSubstrings } from '../../src/model/attribute-pattern.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { SourceDocument } from './build-snapshot.ts';

export interface Occurrence {
  readonly field: string;
  readonly position: number;
  readonly text: string;
}

/** Stands before the text of a chunk, which is no word. */
export const CHUNK = '\uffff';

/** Texts of oracle documents are lower-case words joined by spaces, `-` (soft) and `. ` (hard). */
export class OracleCorpus {
  readonly documents: readonly SourceDocument[];
  readonly settings: Settings;
  readonly #occurrences: readonly (readonly Occurrence[])[];

  constructor(documents: readonly SourceDocument[], settings: Settings) {
    this.documents = documents;
    this.settings = settings;
    this.#occurrences = documents.map((document) => this.#index(document));
  }

  #index(document: SourceDocument): Occurrence[] {
    const { searchableAttributes } = this.settings;
    const fields = Object.keys(document).filter(
      (f) => searchableAttributes.includes('*') || searchableAttributes.includes(f),
    );
    return fields.flatMap((field) => {
      const found: Occurrence[] = [];
      let running = -8;
      for (const value of [document[field]].flat()) {
        running += 8;
        const base = running;
        const before = found.length;
        for (const { text, offset } of placedWords(String(value))) {
          if (this.isStopWord(text)) continue;
          running = base + offset;
          found.push({ field, text, position: running });
        }
        if (found.length === before || !hasSubstrings(this.settings, field)) continue;
        for (const { text, offset } of placedChunks(String(value)))
          found.push({ field, text: CHUNK + text, position: base + offset });
      }
      return found;
    });
  }

  isStopWord(text: string): boolean {
    return this.settings.stopWords.includes(text);
  }

  get ids(): number[] {
    return this.documents.map((_, doc) => doc);
  }

  all(doc: number): readonly Occurrence[] {
    return this.#occurrences[doc]!;
  }

  of(doc: number, text: string): Occurrence[] {
    return this.all(doc).filter((o) => o.text === text);
  }

  isTolerant({ field, text }: Occurrence): boolean {
    const { disableOnAttributes, disableOnNumbers } = this.settings.typoTolerance;
    return !disableOnAttributes.includes(field) && !(disableOnNumbers && /^[0-9]+$/.test(text));
  }

  exists(text: string): boolean {
    return this.ids.some((doc) => this.of(doc, text).length > 0);
  }

  /** Words of tolerant occurrences in byte order. */
  tolerantWords(): string[] {
    return this.#distinctWords((o) => this.isTolerant(o));
  }

  words(): string[] {
    return this.#distinctWords(() => true);
  }

  chunks(): string[] {
    return [
      ...new Set(
        this.ids.flatMap((doc) =>
          this.all(doc)
            .filter(isChunk)
            .map((o) => o.text),
        ),
      ),
    ];
  }

  #distinctWords(counts: (o: Occurrence) => boolean): string[] {
    return [
      ...new Set(
        this.ids.flatMap((doc) =>
          this.all(doc)
            .filter((o) => !isChunk(o) && counts(o))
            .map((o) => o.text),
        ),
      ),
    ].sort();
  }

  /** Stored distance of an ordered pair: 1, 2, 3, or infinity. */
  distance(doc: number, left: string, right: string): number {
    let least = Number.POSITIVE_INFINITY;
    for (const l of this.of(doc, left)) {
      for (const r of this.of(doc, right)) {
        const gap = r.position - l.position;
        if (l.field === r.field && gap >= 1 && gap <= 3) least = Math.min(least, gap);
      }
    }
    return least;
  }

  wordCount(doc: number, field: string): number {
    return this.all(doc).filter((o) => o.field === field && !isChunk(o)).length;
  }
}

const isChunk = ({ text }: Occurrence): boolean => text.startsWith(CHUNK);

/** What stands between spaces, at the place of its first word. */
function placedChunks(value: string): { text: string; offset: number }[] {
  const offsets = placedWords(value).map(({ offset }) => offset);
  return value.split(' ').map((text) => {
    const offset = offsets[0]!;
    offsets.splice(0, text.split('-').length);
    return { text, offset };
  });
}

function placedWords(value: string): { text: string; offset: number }[] {
  const words: { text: string; offset: number }[] = [];
  let offset = 0;
  value.split('. ').forEach((sentence, i) => {
    sentence.split(/[ -]/).forEach((text, j) => {
      if (i + j > 0) offset += j === 0 ? 8 : 1;
      words.push({ text, offset });
    });
  });
  return words;
}

/**
 * Optimal string alignment distance of `word` to `text` as a whole, and to the first prefix of it
 * that no longer one could be nearer than; the whole where there is none.
 */
export function typoDistances(word: string, text: string): { whole: number; prefix: number } {
  const table = Array.from({ length: word.length + 1 }, (_, i) => [i]);
  for (let j = 0; j <= text.length; j++) {
    for (let i = 0; i <= word.length; i++) {
      if (i === 0) table[0]![j] = j;
      else if (j > 0) table[i]![j] = cell(table, word, text, i, j);
    }
  }
  const ends = table[word.length]!;
  const whole = ends[text.length]!;
  const isNearest = (end: number, j: number): boolean => table.every((row) => row[j]! >= end);
  return { whole, prefix: ends.find((end, j) => j > 0 && isNearest(end, j)) ?? whole };
}

function cell(table: number[][], word: string, text: string, i: number, j: number): number {
  const at = (a: number, b: number): number => table[a]![b]!;
  const swapped = i > 1 && j > 1 && word[i - 1] === text[j - 2] && word[i - 2] === text[j - 1];
  return Math.min(
    at(i - 1, j) + 1,
    at(i, j - 1) + 1,
    at(i - 1, j - 1) + (word[i - 1] === text[j - 1] ? 0 : 1),
    swapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
  );
}
