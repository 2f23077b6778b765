/**
 * The position of a document: its member `_geo`, as `{lat, lng}` of finite numbers or strings that
 * contain a finite number.
 */
import { isDecimal } from '../../core/decimal-text.ts';
import { decodeUtf8 } from '../bytes/utf8.ts';
import { ESCAPED, JsonKind, type JsonTape } from '../json/json-tape.ts';
import type { GeoPoint } from './haversine.ts';

export const GEO_FIELD = '_geo';

const textOf = (tape: JsonTape, node: number, quotes: 0 | 1): string =>
  decodeUtf8(tape.bytes, tape.start(node) + quotes, tape.end(node) - quotes);

/** The point of the value node, or null when it is not a point. */
export function readGeoPoint(tape: JsonTape, value: number): GeoPoint | null {
  if (tape.kind(value) !== JsonKind.object) return null;
  const after = tape.next(value);
  let lat = Number.NaN;
  let lng = Number.NaN;
  let members = 0;
  for (let key = value + 1; key < after; key = tape.next(key + 1)) {
    const name = textOf(tape, key, 1);
    if (name === 'lat') lat = coordinate(tape, key + 1);
    else if (name === 'lng') lng = coordinate(tape, key + 1);
    members++;
  }
  return members === 2 && Number.isFinite(lat) && Number.isFinite(lng) ? { lat, lng } : null;
}

/** True for the paths of coordinates, whose values are numbers in strings too. */
export const isCoordinatePath = (path: string): boolean =>
  path === `${GEO_FIELD}.lat` || path === `${GEO_FIELD}.lng`;

/** The finite number of a number node, or of a string node that holds one; else NaN. */
export function coordinate(tape: JsonTape, node: number): number {
  const kind = tape.kind(node);
  if (kind === JsonKind.number) return Number(textOf(tape, node, 0));
  if (kind !== JsonKind.string || (tape.flags(node) & ESCAPED) !== 0) return Number.NaN;
  const text = textOf(tape, node, 1);
  return isDecimal(text) ? Number(text) : Number.NaN;
}
