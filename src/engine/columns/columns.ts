/**
 * Values of document fields for filters, sorting, facets and distinct (relevance.md 5.2). Start
 * here. One immutable file holds the columns of one segment for one coverage; a segment may have
 * several files with disjoint coverages (one made with the segment, one more for each attribute
 * that became filterable or sortable later). All document numbers are DocIds. Values of a column
 * are addressed by ordinal 0 … count − 1 in ascending order; a document may have any number of
 * them.
 */

/** Operations common to string and number values of a column. */
export interface ValueSet {
  /** Distinct values. */
  readonly count: number;
  /**
   * Ors the documents that have one of the values `[lo, hi)` into `bits`. Cost: proportional to the
   * documents added.
   */
  addDocuments(lo: number, hi: number, bits: Uint32Array): void;
  /** Number of documents in the segment (dead ones too) that have the value. */
  documentFrequency(ordinal: number): number;
  /** Lowest DocId of `docs` (a bitset) that has the value, or −1. */
  firstOf(ordinal: number, docs: Uint32Array): number;
  /**
   * Documents of `docs` (a bitset) that have the value. Cost: proportional to the value's
   * frequency.
   */
  countOf(ordinal: number, docs: Uint32Array): number;
  /**
   * Adds to `counts[ordinal]` the documents of `candidates` (a bitset) that have the value. One
   * sequential pass.
   */
  countInto(candidates: Uint32Array, counts: Uint32Array): void;
  /**
   * Least and greatest ordinal among the document's values, or −1 when it has none. O(1) or
   * O(values of the document).
   */
  leastOf(docId: number): number;
  greatestOf(docId: number): number;
  /** Pairs of a value and a document that has it, numbered by value, then document. */
  readonly entryCount: number;
  /** First entry of the value; `firstEntry(count)` is past the last entry. */
  firstEntry(ordinal: number): number;
  documentAt(entry: number): number;
  /** The value of an entry. */
  ordinalOf(entry: number): number;
  /**
   * First entry from `from` towards `to` (not included, may be lower) whose document is in `docs`
   * (a bitset), else `to`.
   */
  seekEntry(from: number, to: number, docs: Uint32Array): number;
  /** Documents of `docs` (a bitset) among the entries `[from, to)`; one with several counts as often. */
  countEntries(from: number, to: number, docs: Uint32Array): number;
  /** True if a document may have several values. */
  readonly hasSeveral: boolean;
  /** Ordinals of the document's values, ascending. */
  forEachOf(docId: number, visit: (ordinal: number) => void): void;
}

/** Numbers, ascending, as 64-bit floats. */
export interface NumberValues extends ValueSet {
  valueAt(ordinal: number): number;
  /** Ordinal of the value, or −1. */
  find(value: number): number;
  /** First ordinal whose value is ≥ `value`. */
  lowerBound(value: number): number;
}

/**
 * Strings (and booleans as `true`, `false`) in normalised form: trimmed, NFKD, lower-cased, cut to
 * 468 bytes at a character boundary; ascending by UTF-8 bytes. The normalised form may be empty (a
 * string of blanks).
 */
export interface StringValues extends ValueSet {
  textAt(ordinal: number): string;
  /** A view of scratch space: valid until the next call of any method of these values. */
  bytesAt(ordinal: number): Uint8Array;
  /** Ordinal of the value, or −1. */
  find(utf8: Uint8Array): number;
  lowerBound(utf8: Uint8Array): number;
  /** The value as the document spells it (its first spelling when it has several). */
  spellingOf(docId: number, ordinal: number): string;
}

/** The column of one field path. */
export interface Column {
  readonly path: string;
  readonly numbers: NumberValues;
  readonly strings: StringValues;
  /**
   * Documents with the key, with null at the key itself, and with `""`, `[]` or `{}` at the key
   * itself.
   */
  addExisting(bits: Uint32Array): void;
  addNull(bits: Uint32Array): void;
  addEmpty(bits: Uint32Array): void;
}

export interface GeoPoint {
  readonly lat: number;
  readonly lng: number;
}

/**
 * Documents (dead ones too) by increasing haversine distance, ties in no defined order; the cost of
 * a document is proportional to the nearer ones.
 */
export interface NearestPoints {
  /** Moves to the next document; false when there is none. */
  next(): boolean;
  readonly docId: number;
  readonly metres: number;
}

/** `_geo` of the segment's documents: one point each, from numbers or numeric strings. */
export interface GeoPoints {
  readonly count: number;
  pointOf(docId: number): GeoPoint | null;
  /**
   * Ors documents at haversine distance ≤ `radiusMetres` (relevance.md 3.11, 5.3). Uses the index,
   * not a scan.
   */
  addWithinRadius(center: GeoPoint, radiusMetres: number, bits: Uint32Array): void;
  /** Inclusive; `west > east` wraps over the antimeridian. */
  addWithinBox(
    box: {
      readonly north: number;
      readonly south: number;
      readonly west: number;
      readonly east: number;
    },
    bits: Uint32Array,
  ): void;
  addAll(bits: Uint32Array): void;
  /** Documents that have a point, ascending, until `visit` returns false. */
  forEachDocument(visit: (docId: number) => boolean): void;
  nearest(center: GeoPoint): NearestPoints;
}

/** `_geojson` of the segment's documents. */
export interface GeoShapes {
  readonly count: number;
  /**
   * Ors documents whose shape overlaps the area, a closed ring of latitudes and longitudes taken as
   * a plane.
   */
  addOverlapping(area: ArrayLike<number>, bits: Uint32Array): void;
}

/** One file. */
export interface ColumnsReader {
  readonly id: string;
  /** Field paths found in the documents of the segment and covered by the file. */
  readonly paths: readonly string[];
  column(path: string): Column | null;
  /** null when the coverage does not name `_geo`. */
  readonly geo: GeoPoints | null;
  /** null when the coverage does not name `_geojson`. */
  readonly shapes: GeoShapes | null;
  /** Compares every byte with its checksum; throws `CorruptionError`. */
  verifyChecksums(): void;
  /** The same, and verifies that all parts fit together, which takes thirty times as long. */
  verify(): void;
}
