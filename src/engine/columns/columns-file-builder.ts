/**
 * Builds the columns file of one segment from its documents, in ascending DocId order. Start here
 * for writing.
 */

import { assert } from '../../core/assert.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { NumberList } from '../bytes/number-list.ts';
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts';
import { unescapeInto } from '../json/json-string.ts';
import { ESCAPED, JsonKind, type JsonTape } from '../json/json-tape.ts';
import { frameSections, type SectionData } from '../segment/segment-format.ts';
import type { ColumnBuilder } from './column-builder.ts';
import { COLUMNS_MAGIC, ColumnsSection } from './columns-format.ts';
import { coordinate, GEO_FIELD, readGeoPoint } from './geo-field.ts';
import { GEOJSON_FIELD, readGeoJson, tapeValue } from './geo-json.ts';
import { createGeoPointsWriter, type GeoPointsWriter } from './geo-points-writer.ts';
import { createGeoShapesWriter, type GeoShapesWriter } from './geo-shapes.ts';
import { type ColumnRules, type PathNode, PathTree } from './path-tree.ts';

const TRUE_TEXT = encodeUtf8('true');
const FALSE_TEXT = encodeUtf8('false');

/** Takes documents in ascending DocId order and yields the bytes of a columns file. Single use. */
export class ColumnsFileBuilder {
  readonly #tree: PathTree;
  readonly #scratch = new ByteBuffer();
  readonly #geo: GeoPointsWriter | null;
  readonly #shapes: GeoShapesWriter | null;
  readonly #docIds = new NumberList();

  /** @param known paths that get a column even if no document has them */
  constructor(rules: ColumnRules, known: readonly string[] = []) {
    this.#tree = new PathTree(rules, known);
    this.#geo = rules.hasGeo ? createGeoPointsWriter() : null;
    this.#shapes = rules.hasShapes ? createGeoShapesWriter() : null;
  }

  /** Bytes held now, for the caller's memory budget. */
  get memoryBytes(): number {
    let bytes = this.#docIds.items.byteLength;
    for (const column of this.#tree.columns.values()) bytes += column.memoryBytes;
    return bytes;
  }

  /** Rank of the document added last; −1 = none. */
  get #rank(): number {
    return this.#docIds.length - 1;
  }

  get #docId(): number {
    return this.#docIds.items[this.#rank]!;
  }

  /** @param tape holds the document, an object without duplicate keys */
  addDocument(docId: number, tape: JsonTape): void {
    assert(this.#rank < 0 || docId > this.#docId, 'documents come in ascending DocId order');
    this.#docIds.push(docId);
    this.#object(tape, 0, this.#tree.root);
  }

  #object(tape: JsonTape, object: number, parent: PathNode): void {
    const after = tape.next(object);
    let before: PathNode | null = null;
    for (let key = object + 1; key < after; key = tape.next(key + 1)) {
      const node: PathNode = this.#tree.child(parent, before, tape, key);
      before = node;
      if (node.column !== null || node.leadsOn) this.#member(tape, key + 1, node);
      if (this.#geo !== null && node.path === GEO_FIELD) this.#point(tape, key + 1, this.#geo);
      if (this.#shapes !== null && node.path === GEOJSON_FIELD)
        this.#shape(tape, key + 1, this.#shapes);
    }
  }

  #point(tape: JsonTape, value: number, geo: GeoPointsWriter): void {
    const point = readGeoPoint(tape, value);
    if (point !== null) geo.add(this.#docId, point.lat, point.lng);
  }

  #shape(tape: JsonTape, value: number, shapes: GeoShapesWriter): void {
    const shape = readGeoJson(tapeValue(tape, value));
    if (shape !== null) shapes.add(this.#docId, shape);
  }

  /** The value of a key: marks are made here and not for the elements of arrays. */
  #member(tape: JsonTape, value: number, node: PathNode): void {
    const kind = tape.kind(value);
    const { column } = node;
    if (column !== null) this.#mark(tape, value, kind, column);
    if (kind === JsonKind.object) {
      if (node.leadsOn) this.#object(tape, value, node);
    } else if (kind === JsonKind.array) this.#array(tape, value, node);
    else if (column !== null) this.#leaf(tape, value, kind, column);
  }

  #mark(tape: JsonTape, value: number, kind: JsonKind, column: ColumnBuilder): void {
    const rank = this.#rank;
    column.markExisting(rank);
    if (kind === JsonKind.null) column.markNull(rank);
    const isEmptyString = kind === JsonKind.string && tape.end(value) - tape.start(value) === 2;
    if (isEmptyString || (kind >= JsonKind.array && tape.next(value) === value + 1))
      column.markEmpty(rank);
  }

  #array(tape: JsonTape, array: number, node: PathNode): void {
    const after = tape.next(array);
    for (let element = array + 1; element < after; element = tape.next(element)) {
      const kind = tape.kind(element);
      if (kind === JsonKind.object) {
        if (node.leadsOn) this.#object(tape, element, node);
      } else if (kind === JsonKind.array) this.#array(tape, element, node);
      else if (node.column !== null) this.#leaf(tape, element, kind, node.column);
    }
  }

  #leaf(tape: JsonTape, node: number, kind: JsonKind, column: ColumnBuilder): void {
    const rank = this.#rank;
    if (kind === JsonKind.string) this.#string(tape, node, rank, column);
    else if (kind === JsonKind.number) {
      const value = numberOf(tape.bytes, tape.start(node), tape.end(node));
      if (Number.isFinite(value)) column.addNumber(rank, value);
    } else if (kind === JsonKind.true) column.addString(rank, TRUE_TEXT, TRUE_TEXT.length);
    else if (kind === JsonKind.false) column.addString(rank, FALSE_TEXT, FALSE_TEXT.length);
  }

  #string(tape: JsonTape, node: number, rank: number, column: ColumnBuilder): void {
    const start = tape.start(node) + 1;
    const end = tape.end(node) - 1;
    if (start === end) return;
    const number = column.isCoordinate ? coordinate(tape, node) : Number.NaN;
    if (Number.isFinite(number)) {
      column.addNumber(rank, number);
      return;
    }
    const scratch = this.#scratch;
    scratch.clear();
    if ((tape.flags(node) & ESCAPED) === 0) scratch.pushRange(tape.bytes, start, end);
    else unescapeInto(tape.bytes, start, end, scratch);
    column.addString(rank, scratch.bytes, scratch.length);
  }

  /** The file's bytes in order. */
  finish(): Uint8Array[] {
    const docIds = this.#docIds.view();
    const count = docIds.length;
    const first = docIds[0] ?? 0;
    const isDense = count === 0 || docIds[count - 1]! - first === count - 1;
    const columns = [...this.#tree.columns.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    const paths = encodeUtf8(JSON.stringify(columns.map(({ path }) => path)));
    const sections: [number, SectionData][] = [
      [ColumnsSection.meta, Uint32Array.of(count, first, columns.length, 0)],
      [ColumnsSection.docIds, isDense ? new Uint32Array(0) : docIds],
      [ColumnsSection.paths, paths],
    ];
    if (this.#geo !== null) sections.push([ColumnsSection.geo, this.#geo.finish()]);
    if (this.#shapes !== null) sections.push([ColumnsSection.shapes, this.#shapes.finish()]);
    for (const [i, column] of columns.entries())
      sections.push([ColumnsSection.firstColumn + i, column.finish(count)]);
    return frameSections(sections, COLUMNS_MAGIC);
  }
}

/** Parses short integers without a string of their digits. */
function numberOf(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === 0x2d;
  const from = isNegative ? start + 1 : start;
  if (end - from > 15) return Number(decodeUtf8(bytes, start, end));
  let value = 0;
  for (let i = from; i < end; i++) {
    const digit = bytes[i]! - 0x30;
    if (digit < 0 || digit > 9) return Number(decodeUtf8(bytes, start, end));
    value = value * 10 + digit;
  }
  return isNegative ? -value : value;
}
