/** Validates `_geo` and `_geojson` of documents while the index filters or sorts by them. */
import { ApiError } from '../../core/errors.ts';
import { encodeUtf8 } from '../../engine/bytes/utf8.ts';
import { GEO_FIELD, readGeoPoint } from '../../engine/columns/geo-field.ts';
import { GEOJSON_FIELD, readGeoJson, tapeValue } from '../../engine/columns/geo-json.ts';
import { rangeEquals } from '../../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { shownJson } from '../../engine/json/shown-json.ts';

interface GeoField {
  readonly name: string;
  readonly nameBytes: Uint8Array;
  readonly expected: string;
  isWellFormed(tape: JsonTape, value: number): boolean;
}

const FIELDS: readonly GeoField[] = [
  {
    name: GEO_FIELD,
    nameBytes: encodeUtf8(GEO_FIELD),
    expected:
      'null or an object with exactly `lat` and `lng`, each a number or a string that holds one',
    isWellFormed: (tape, value) =>
      tape.kind(value) === JsonKind.null || readGeoPoint(tape, value) !== null,
  },
  {
    name: GEOJSON_FIELD,
    nameBytes: encodeUtf8(GEOJSON_FIELD),
    expected: 'a GeoJSON geometry, Feature or FeatureCollection',
    isWellFormed: (tape, value) => readGeoJson(tapeValue(tape, value)) !== null,
  },
];

/**
 * @param names of the fields to check
 * @throws ApiError `invalid_document_geo_field`
 */
export function checkGeoFields(
  tape: JsonTape,
  names: readonly string[],
  documentId: () => string,
): void {
  const fields = FIELDS.filter(({ name }) => names.includes(name));
  const after = tape.next(0);
  for (let key = 1; key < after; key = tape.next(key + 1)) {
    for (const { name, nameBytes, expected, isWellFormed } of fields) {
      if (!rangeEquals(tape.bytes, tape.start(key) + 1, tape.end(key) - 1, nameBytes)) continue;
      const value = key + 1;
      if (isWellFormed(tape, value)) continue;
      throw new ApiError(
        'invalid_document_geo_field',
        `Document \`${documentId()}\`: \`${name}\` must be ${expected}, but it is \`${shownJson(tape, value)}\``,
      );
    }
  }
}
