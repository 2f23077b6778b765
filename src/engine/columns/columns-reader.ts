/**
 * Values of document fields for filters, sorting, facets and distinct (relevance.md 5.2). Start
 * here: reads the bytes of a columns file without copying. One immutable file holds the columns of one
 * segment for one coverage; a segment may have several files with disjoint coverages (one made with
 * the segment, one more for each attribute that became filterable or sortable later). All document
 * numbers are DocIds. Values of a column are addressed by ordinal 0 … count − 1 in ascending order; a
 * document may have any number of them.
 */

import { CorruptionError } from '../../core/errors.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { compareBytes } from '../bytes/utf8.ts';
import { SegmentFrame } from '../segment/segment-format.ts';
import { DocumentRanks } from '../sets/document-ranks.ts';
import { indexOfSorted, lowerBound, lowerBoundFrom } from '../sets/sorted.ts';
import { NUMBER_POSTINGS, STRING_POSTINGS } from './column-builder.ts';
import { ColumnParts, Part } from './column-parts.ts';
import { COLUMNS_MAGIC, COLUMNS_META_WORDS, ColumnsSection } from './columns-format.ts';
import { GeoPoints } from './geo-points.ts';
import { GeoShapes } from './geo-shapes.ts';
import { addRankSet, checkRankSet } from './rank-set.ts';
import { ValueDictionary } from './value-dictionary.ts';
import { ValueSet } from './value-postings.ts';
import { ValueSpellings } from './value-spellings.ts';

/** One file. */
export class ColumnsReader {
  readonly id: string;
  /** Field paths found in the documents of the segment and covered by the file. */
  readonly paths: readonly string[];
  /** null when the coverage does not name `_geo`. */
  readonly geo: GeoPoints | null;
  /** null when the coverage does not name `_geojson`. */
  readonly shapes: GeoShapes | null;
  readonly #frame: SegmentFrame;
  readonly #documents: DocumentRanks;
  readonly #sections: ReadonlyMap<string, number>;
  readonly #columns = new Map<string, Column>();

  /** Reads header, table of contents and the list of paths; a column is read at its first use. */
  constructor(id: string, bytes: Uint8Array) {
    this.id = id;
    this.#frame = new SegmentFrame(id, bytes, COLUMNS_MAGIC);
    this.#frame.checkedSection(ColumnsSection.meta);
    const [count, first] = this.#frame.words(ColumnsSection.meta, COLUMNS_META_WORDS);
    const docIds = this.#frame.words(ColumnsSection.docIds);
    this.#documents = new DocumentRanks(count!, first!, docIds.length === 0 ? null : docIds);
    this.paths = this.#frame.json(ColumnsSection.paths) as string[];
    this.geo = this.#frame.has(ColumnsSection.geo) ? this.#openGeo() : null;
    this.shapes = this.#frame.has(ColumnsSection.shapes) ? this.#openShapes() : null;
    this.#sections = new Map(this.paths.map((path, i) => [path, ColumnsSection.firstColumn + i]));
  }

  #openGeo(): GeoPoints {
    const section = this.#frame.section(ColumnsSection.geo);
    return this.#checked(ColumnsSection.geo, () => new GeoPoints(section));
  }

  #openShapes(): GeoShapes {
    const section = this.#frame.section(ColumnsSection.shapes);
    return this.#checked(ColumnsSection.shapes, () => new GeoShapes(section));
  }

  column(path: string): Column | null {
    const section = this.#sections.get(path);
    return section === undefined ? null : this.#open(path, section);
  }

  #open(path: string, section: number): Column {
    return getOrCompute(this.#columns, path, () =>
      this.#checked(
        section,
        () => new Column(path, new ColumnParts(this.#frame.section(section)), this.#documents),
      ),
    );
  }

  /** Compares every byte with its checksum; throws `CorruptionError`. */
  verifyChecksums(): void {
    this.#frame.verifyChecksums();
  }

  /** The same, and verifies that all parts fit together, which takes thirty times as long. */
  verify(): void {
    this.verifyChecksums();
    const { docIds, count } = this.#documents;
    if (
      docIds !== null &&
      (docIds.length !== count || docIds.some((docId, i) => i > 0 && docId <= docIds[i - 1]!))
    ) {
      throw this.#frame.damage(ColumnsSection.docIds, 'ascending DocIds', 'others');
    }
    const { geo, shapes } = this;
    if (geo !== null) this.#checked(ColumnsSection.geo, () => geo.verify());
    if (shapes !== null) this.#checked(ColumnsSection.shapes, () => shapes.verify());
    for (const [path, section] of this.#sections)
      this.#checked(section, () => this.#open(path, section).check());
  }

  #checked<T>(section: number, action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (error instanceof CorruptionError) throw error;
      throw this.#frame.damage(
        section,
        'a well-formed column',
        error instanceof Error ? error.message : String(error),
      );
    }
  }
}

/** The column of one field path. */
export class Column {
  readonly path: string;
  readonly numbers: NumberValues;
  readonly strings: StringValues;
  readonly #parts: ColumnParts;
  readonly #documents: DocumentRanks;

  constructor(path: string, parts: ColumnParts, documents: DocumentRanks) {
    this.path = path;
    this.#parts = parts;
    this.#documents = documents;
    const [numberCount, numberLayout, stringCount, stringLayout, choiceMax] = parts.words(
      Part.meta,
    );
    this.numbers = new NumberValues(parts, numberCount!, numberLayout!, documents);
    this.strings = new StringValues(parts, stringCount!, stringLayout!, choiceMax!, documents);
  }

  /**
   * Documents with the key, with null at the key itself, and with `""`, `[]` or `{}` at the key
   * itself.
   */
  addExisting(bits: Uint32Array): void {
    addRankSet(this.#parts.words(Part.existing), this.#documents, bits);
  }
  addNull(bits: Uint32Array): void {
    addRankSet(this.#parts.words(Part.nulls), this.#documents, bits);
  }
  addEmpty(bits: Uint32Array): void {
    addRankSet(this.#parts.words(Part.empties), this.#documents, bits);
  }

  /** Throws a plain error when the file is malformed. */
  check(): void {
    for (const part of [Part.existing, Part.nulls, Part.empties])
      checkRankSet(this.#parts.words(part), this.#documents.count);
    this.numbers.check();
    this.strings.check();
    for (let ordinal = 1; ordinal < this.numbers.count; ordinal++) {
      if (!(this.numbers.valueAt(ordinal) > this.numbers.valueAt(ordinal - 1)))
        throw new Error(`number ${ordinal} does not ascend`);
    }
    let before = new Uint8Array(0);
    for (let ordinal = 0; ordinal < this.strings.count; ordinal++) {
      const bytes = this.strings.bytesAt(ordinal).slice();
      if (ordinal > 0 && compareBytes(before, bytes) >= 0)
        throw new Error(`string ${ordinal} does not ascend`);
      before = bytes;
    }
  }
}

/** Numbers, ascending, as 64-bit floats. */
export class NumberValues extends ValueSet {
  readonly #values: Float64Array;

  constructor(parts: ColumnParts, count: number, layout: number, documents: DocumentRanks) {
    super(parts, NUMBER_POSTINGS, count, layout, documents);
    this.#values = parts.floats(Part.numbers);
    if (this.#values.length !== count)
      throw new Error(`${this.#values.length} numbers where ${count} are expected`);
  }

  valueAt(ordinal: number): number {
    return this.#values[ordinal]!;
  }

  /** Ordinal of the value, or −1. */
  find(value: number): number {
    return indexOfSorted(this.#values, value);
  }

  /** First ordinal whose value is ≥ `value`. */
  lowerBound(value: number): number {
    return lowerBound(this.#values, value);
  }

  /** The same from an ordinal on, fast near the guess. */
  lowerBoundFrom(value: number, ordinal: number, guess = ordinal): number {
    return lowerBoundFrom(this.#values, value, ordinal, guess);
  }
}

/**
 * Strings (and booleans as `true`, `false`) in normalised form: trimmed, NFKD, lower-cased, cut to
 * 468 bytes at a character boundary; ascending by UTF-8 bytes. The normalised form may be empty (a
 * string of blanks).
 */
export class StringValues extends ValueSet {
  readonly #texts: ValueDictionary;
  readonly #spellings: ValueSpellings;

  constructor(
    parts: ColumnParts,
    count: number,
    layout: number,
    choiceMax: number,
    documents: DocumentRanks,
  ) {
    super(parts, STRING_POSTINGS, count, layout, documents);
    const groups = parts.words(Part.textGroups);
    if (groups.length !== (count + 15) >>> 4)
      throw new Error(`${groups.length} groups of strings for ${count} strings`);
    this.#texts = new ValueDictionary(parts.bytes(Part.text), groups, count);
    this.#spellings = new ValueSpellings(
      parts.bytes(Part.spellings),
      parts.words(Part.spellingGroups),
      parts.numbers(Part.spellingChoices, choiceMax),
    );
  }

  textAt(ordinal: number): string {
    return this.#texts.text(ordinal);
  }
  /** A view of scratch space: valid until the next call of any method of these values. */
  bytesAt(ordinal: number): Uint8Array {
    return this.#texts.bytes(ordinal);
  }
  /** Ordinal of the value, or −1. */
  find(utf8: Uint8Array): number {
    return this.#texts.find(utf8);
  }
  lowerBound(utf8: Uint8Array): number {
    return this.#texts.lowerBound(utf8);
  }
  /** The value as the document spells it (its first spelling when it has several). */
  spellingOf(docId: number, ordinal: number): string {
    return this.#spellings.read(
      ordinal,
      () => this.#texts.text(ordinal),
      () => this.placeOf(docId, ordinal),
    );
  }
}
