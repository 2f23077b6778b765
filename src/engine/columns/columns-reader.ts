/**
 * Opens the bytes of a columns file and reads from them without copying. Start here for reading.
 */

import { CorruptionError } from '../../core/errors.ts';
import { compareBytes, decodeUtf8 } from '../bytes/utf8.ts';
import { SegmentFrame } from '../segment/segment-format.ts';
import { DocumentRanks } from '../sets/document-ranks.ts';
import { indexOfSorted, lowerBound } from '../sets/sorted.ts';
import { NUMBER_POSTINGS, STRING_POSTINGS } from './column-builder.ts';
import { ColumnParts, Part } from './column-parts.ts';
import type { Column, ColumnsReader, NumberValues, StringValues } from './columns.ts';
import { COLUMNS_MAGIC, COLUMNS_META_WORDS, ColumnsSection } from './columns-format.ts';
import { openGeoPoints, type PackedGeoPoints } from './geo-points.ts';
import { openGeoShapes, type PackedGeoShapes } from './geo-shapes.ts';
import { addRankSet, checkRankSet } from './rank-set.ts';
import { ValueDictionary } from './value-dictionary.ts';
import { ValuePostings } from './value-postings.ts';
import { ValueSpellings } from './value-spellings.ts';

/** Reads header, table of contents and the list of paths; a column is read at its first use. */
export function openColumns(id: string, bytes: Uint8Array): ColumnsReader {
  return new MappedColumnsReader(id, bytes);
}

class MappedColumnsReader implements ColumnsReader {
  readonly id: string;
  readonly paths: readonly string[];
  readonly geo: PackedGeoPoints | null;
  readonly shapes: PackedGeoShapes | null;
  readonly #frame: SegmentFrame;
  readonly #documents: DocumentRanks;
  readonly #sections: ReadonlyMap<string, number>;
  readonly #columns = new Map<string, MappedColumn>();

  constructor(id: string, bytes: Uint8Array) {
    this.id = id;
    this.#frame = new SegmentFrame(id, bytes, COLUMNS_MAGIC);
    this.#frame.checkedSection(ColumnsSection.meta);
    const [count, first] = this.#frame.words(ColumnsSection.meta, COLUMNS_META_WORDS);
    const docIds = this.#frame.words(ColumnsSection.docIds);
    this.#documents = new DocumentRanks(count!, first!, docIds.length === 0 ? null : docIds);
    const paths = this.#frame.checkedSection(ColumnsSection.paths);
    this.paths = JSON.parse(decodeUtf8(paths, 0, paths.length)) as string[];
    this.geo = this.#frame.has(ColumnsSection.geo) ? this.#openGeo() : null;
    this.shapes = this.#frame.has(ColumnsSection.shapes) ? this.#openShapes() : null;
    this.#sections = new Map(this.paths.map((path, i) => [path, ColumnsSection.firstColumn + i]));
  }

  #openGeo(): PackedGeoPoints {
    return this.#checked(ColumnsSection.geo, () =>
      openGeoPoints(this.#frame.section(ColumnsSection.geo)),
    );
  }

  #openShapes(): PackedGeoShapes {
    return this.#checked(ColumnsSection.shapes, () =>
      openGeoShapes(this.#frame.section(ColumnsSection.shapes)),
    );
  }

  column(path: string): Column | null {
    const section = this.#sections.get(path);
    return section === undefined ? null : this.#open(path, section);
  }

  #open(path: string, section: number): MappedColumn {
    let column = this.#columns.get(path);
    if (column === undefined) {
      column = this.#checked(
        section,
        () =>
          new MappedColumn(path, new ColumnParts(this.#frame.section(section)), this.#documents),
      );
      this.#columns.set(path, column);
    }
    return column;
  }

  verifyChecksums(): void {
    this.#frame.verifyChecksums();
  }

  verify(): void {
    this.verifyChecksums();
    const { docIds, count } = this.#documents;
    if (
      docIds !== null &&
      (docIds.length !== count || docIds.some((docId, i) => i > 0 && docId <= docIds[i - 1]!))
    ) {
      throw this.#damage(ColumnsSection.docIds, 'ascending DocIds', 'others');
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
      throw this.#damage(
        section,
        'a well-formed column',
        error instanceof Error ? error.message : String(error),
      );
    }
  }

  #damage(section: number, expected: string, got: string): CorruptionError {
    return new CorruptionError(this.id, this.#frame.offsetOf(section), expected, got);
  }
}

class MappedColumn implements Column {
  readonly path: string;
  readonly numbers: MappedNumbers;
  readonly strings: MappedStrings;
  readonly #parts: ColumnParts;
  readonly #documents: DocumentRanks;

  constructor(path: string, parts: ColumnParts, documents: DocumentRanks) {
    this.path = path;
    this.#parts = parts;
    this.#documents = documents;
    const [numberCount, numberLayout, stringCount, stringLayout, choiceMax] = parts.words(
      Part.meta,
    );
    this.numbers = new MappedNumbers(parts, numberCount!, numberLayout!, documents);
    this.strings = new MappedStrings(parts, stringCount!, stringLayout!, choiceMax!, documents);
  }

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

class MappedNumbers extends ValuePostings implements NumberValues {
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

  find(value: number): number {
    return indexOfSorted(this.#values, value);
  }

  lowerBound(value: number): number {
    return lowerBound(this.#values, value);
  }
}

class MappedStrings extends ValuePostings implements StringValues {
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
  bytesAt(ordinal: number): Uint8Array {
    return this.#texts.bytes(ordinal);
  }
  find(utf8: Uint8Array): number {
    return this.#texts.find(utf8);
  }
  lowerBound(utf8: Uint8Array): number {
    return this.#texts.lowerBound(utf8);
  }
  spellingOf(docId: number, ordinal: number): string {
    return this.#spellings.read(
      ordinal,
      () => this.#texts.text(ordinal),
      () => this.placeOf(docId, ordinal),
    );
  }
}
