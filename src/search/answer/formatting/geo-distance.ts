/**
 * `_geoDistance`: distance of a returned document from the first point that a request sorts by
 * (relevance.md 6.2).
 */

import { decodeUtf8 } from '../../../engine/bytes/utf8.ts';
import { GEO_FIELD } from '../../../engine/columns/geo-field.ts';
import type { GeoPoint } from '../../../engine/columns/haversine.ts';
import { haversineMetres } from '../../../engine/columns/haversine.ts';
import { stringText } from '../../../engine/json/json-string.ts';
import { JsonKind, JsonTape } from '../../../engine/json/json-tape.ts';
import { memberNode } from '../../../engine/json/tape-members.ts';
import type { SortCriterion } from '../../../model/sort-criterion.ts';

const tape = new JsonTape();

/** The point of the first geo criterion, or null. */
export const sortPoint = (sort: readonly SortCriterion[]): GeoPoint | null =>
  sort.find((criterion) => criterion.kind === 'geo') ?? null;

/**
 * Distance in whole metres from `from` to the `_geo` of a document as it is returned; null when the
 * returned document has no `_geo`.
 */
export function geoDistance(json: Uint8Array, from: GeoPoint): number | null {
  tape.scan(json, 0, json.length);
  const geo = memberNode(tape, 0, GEO_FIELD);
  const lat = coordinate(memberNode(tape, geo, 'lat'));
  const lng = coordinate(memberNode(tape, geo, 'lng'));
  return lat === null || lng === null ? null : Math.round(haversineMetres(from, { lat, lng }));
}

/** A number, or a string that contains one. */
function coordinate(node: number | null): number | null {
  if (node === null) return null;
  const kind = tape.kind(node);
  if (kind === JsonKind.number)
    return Number(decodeUtf8(tape.bytes, tape.start(node), tape.end(node)));
  const text = kind === JsonKind.string ? stringText(tape, node).trim() : '';
  const value = Number(text);
  return text === '' || !Number.isFinite(value) ? null : value;
}
