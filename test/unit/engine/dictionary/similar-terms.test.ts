/**
 * Goal: the typo scan finds exactly the terms near a word. Method: random vocabularies against a
 * plain distance table.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { TermDictionary } from '../../../../src/engine/dictionary/term-dictionary.ts';
import { TermDictionaryWriter } from '../../../../src/engine/dictionary/term-dictionary-writer.ts';
import { amount } from '../../../support/run-length.ts';

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function dictionaryOf(terms: readonly string[]): TermDictionary {
  const writer = new TermDictionaryWriter();
  for (const term of terms) writer.add(encodeUtf8(term), 0, encodeUtf8(term).length);
  return new TermDictionary(writer.finish(), terms.length, null);
}

/**
 * Optimal string alignment distance by the full table, and that at the first prefix of `text` that
 * no longer one could be nearer than.
 */
function distances(word: string, text: string): { whole: number; prefix: number } {
  const a = [...word];
  const b = [...text];
  const rows = [a.map((_, i) => i).concat(a.length)];
  for (let j = 1; j <= b.length; j++) {
    const row = [j];
    for (let i = 1; i <= a.length; i++) {
      let cost = Math.min(
        rows[j - 1]![i]! + 1,
        row[i - 1]! + 1,
        rows[j - 1]![i - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, rows[j - 2]![i - 2]! + 1);
      row.push(cost);
    }
    rows.push(row);
  }
  const ends = rows.map((row) => row[a.length]!);
  const whole = ends[b.length]!;
  return { whole, prefix: ends.find((end, j) => j > 0 && end === Math.min(...rows[j]!)) ?? whole };
}

interface Options {
  readonly maxDistance: 1 | 2;
  readonly maxDistanceOtherFirst: 0 | 1;
  readonly prefix: boolean;
}

function expected(terms: readonly string[], word: string, options: Options): string[] {
  return terms.flatMap((term) => {
    const { whole, prefix } = distances(word, term);
    const distance = options.prefix ? prefix : whole;
    const sameFirst = [...term][0] === [...word][0];
    return distance <= (sameFirst ? options.maxDistance : options.maxDistanceOtherFirst) &&
      (sameFirst || options.maxDistanceOtherFirst > 0)
      ? [`${term}:${distance}`]
      : [];
  });
}

function found(dictionary: TermDictionary, word: string, options: Options): string[] {
  const results: string[] = [];
  dictionary.visitSimilar(word, options, (ordinal, distance) => {
    results.push(`${dictionary.text(ordinal)}:${distance}`);
    return true;
  });
  return results;
}

const ALL_OPTIONS: Options[] = ([1, 2] as const).flatMap((maxDistance) =>
  ([0, 1] as const).flatMap((maxDistanceOtherFirst) =>
    [true, false].map((prefix) => ({ maxDistance, maxDistanceOtherFirst, prefix })),
  ),
);

function checkAll(vocabulary: readonly string[], words: readonly string[]): void {
  const terms = [...new Set(vocabulary)].sort(byBytes);
  const dictionary = dictionaryOf(terms);
  for (const word of words) {
    for (const options of ALL_OPTIONS)
      expect(found(dictionary, word, options), word).toEqual(expected(terms, word, options));
  }
}

const text = (letters: readonly string[], min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength: min, maxLength: max });

/** The text with one change: a letter removed, added, replaced, or swapped with the next. */
function edited(text: string, [kind, place, letter]: [number, number, string]): string {
  const at = place % (text.length + 1);
  const changed = [
    () => text.slice(0, at) + text.slice(at + 1),
    () => text.slice(0, at) + letter + text.slice(at),
    () => text.slice(0, at) + letter + text.slice(at + 1),
    () =>
      text.slice(0, at) +
      text
        .slice(at, at + 2)
        .split('')
        .reverse()
        .join('') +
      text.slice(at + 2),
  ];
  return changed[kind]!();
}

describe('the typo scan', () => {
  it('equals the distance table over small alphabets, whole words and prefixes', () => {
    const letters = ['a', 'b', 'c'];
    fc.assert(
      fc.property(
        fc.array(text(letters, 1, 8), { maxLength: 60 }),
        fc.array(text(letters, 1, 6), { minLength: 1, maxLength: 3 }),
        checkAll,
      ),
      { numRuns: amount(10, 240) },
    );
  });

  it('counts code points, not bytes, in any script', () => {
    const letters = ['a', 'é', 'ß', '日', '本', '語', '𝒳', '\u{1f600}', 'ж'];
    fc.assert(
      fc.property(
        fc.array(text(letters, 1, 6), { maxLength: 60 }),
        fc.array(text(letters, 1, 5), { minLength: 1, maxLength: 3 }),
        checkAll,
      ),
      { numRuns: amount(10, 240) },
    );
  });

  it('equals the table for long words with some letters removed, added, replaced or swapped', () => {
    const letters = [...'abcdefghijklmn'];
    const edit = fc.tuple(fc.nat(3), fc.nat(12), fc.constantFrom(...letters));
    const near = fc.array(fc.array(edit, { maxLength: 4 }), { minLength: 10, maxLength: 60 });
    fc.assert(
      fc.property(text(letters, 5, 12), near, (word, edits) => {
        checkAll(
          edits.map((own) => own.reduce(edited, word)).filter((term) => term !== ''),
          [word],
        );
      }),
      { numRuns: amount(20, 400) },
    );
  });

  it('walks a vocabulary of very many characters', () => {
    for (const count of [300, 20_000]) {
      const terms = Array.from(
        { length: count },
        (_, i) =>
          `${String.fromCodePoint(0x20000 + i)}${String.fromCodePoint(0x4e00 + (i % 200))}x`,
      );
      const dictionary = dictionaryOf(terms.sort(byBytes));
      const [word] = [terms[count >>> 1]!];
      const near = found(dictionary, word, {
        maxDistance: 1,
        maxDistanceOtherFirst: 1,
        prefix: false,
      });
      expect(near).toContain(`${word}:0`);
      expect(near).toEqual(
        expected(terms, word, { maxDistance: 1, maxDistanceOtherFirst: 1, prefix: false }),
      );
    }
  });

  it('handles words longer than a machine word', () => {
    const stem = text(['a', 'b'], 28, 36);
    fc.assert(
      fc.property(
        fc.array(stem, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(fc.nat(35), fc.nat(35)), { maxLength: 8 }),
        (stems, edits) => {
          const edited = stems.flatMap((word) =>
            edits.flatMap(([i, j]) => [
              word.slice(0, i) + word.slice(i + 1),
              `${word.slice(0, j)}b${word.slice(j)}`,
              word.slice(0, i) + word.slice(i + 2),
            ]),
          );
          checkAll(
            [...stems, ...edited].filter((word) => word !== ''),
            stems,
          );
        },
      ),
      { numRuns: amount(4, 120) },
    );
    const long = 'x'.repeat(240);
    checkAll(
      [long, `${long}y`, `y${long}`, long.slice(3), `ab${long}`],
      [long, `${long}zz`, 'x'.repeat(1000)],
    );
  });

  it('finds transpositions at the ends of a word and across a branch of the trie', () => {
    checkAll(
      ['abcdef', 'bacdef', 'abcdfe', 'abdcef', 'abdcegh', 'abc', 'ab'],
      ['abcdef', 'ab', 'a', 'ba'],
    );
  });

  it('stops when the callback says so', () => {
    const dictionary = dictionaryOf(['word1', 'word2', 'word3', 'word4']);
    const seen: number[] = [];
    dictionary.visitSimilar(
      'word',
      { maxDistance: 1, maxDistanceOtherFirst: 0, prefix: true },
      (ordinal) => seen.push(ordinal) < 2,
    );
    expect(seen).toEqual([0, 1]);
  });

  it('finds nothing for an empty word or in an empty dictionary', () => {
    expect(found(dictionaryOf(['a']), '', ALL_OPTIONS[0]!)).toEqual([]);
    expect(found(dictionaryOf([]), 'a', ALL_OPTIONS[0]!)).toEqual([]);
  });

  it('forgets a word whose scan was interrupted by an error', () => {
    const dictionary = dictionaryOf(['abc', 'xyz']);
    const options: Options = { maxDistance: 1, maxDistanceOtherFirst: 0, prefix: false };
    expect(() =>
      dictionary.visitSimilar('abc', options, () => {
        throw new Error('stop');
      }),
    ).toThrow('stop');
    expect(found(dictionary, 'xyz', options)).toEqual(['xyz:0']);
  });
});
