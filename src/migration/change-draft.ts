/** Collects the changes of one document during its conversion. */

import { isObject, type Json } from '../core/json.ts';
import { allowedId, ORIGINAL_ID } from './mapped-ids.ts';
import type { DocumentChange, MigrationNote } from './mapped-index.ts';

interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** Of a pair of numbers. */
type Order = 'latitude first' | 'longitude first';

export class ChangeDraft implements DocumentChange {
  readonly set: Record<string, unknown> = {};
  readonly remove: string[] = [];
  readonly notes: MigrationNote[] = [];

  note(name: string, message: string): void {
    this.notes.push({ name, message });
  }

  /** Gives the document a valid id, and keeps the original id in another field. */
  setId(document: Json, field: string, id: unknown): void {
    const text = typeof id === 'number' ? String(id) : id;
    if (typeof text !== 'string') {
      this.note(field, 'is missing or no text: the document is refused');
      return;
    }
    const allowed = allowedId(text);
    if (allowed !== document[field] && String(document[field]) !== allowed)
      this.set[field] = allowed;
    if (allowed === text) return;
    this.note(
      field,
      `has characters that ids may not have here: \`${ORIGINAL_ID}\` has it as it was`,
    );
    if (!Object.hasOwn(document, ORIGINAL_ID)) this.set[ORIGINAL_ID] = text;
  }

  /** Makes the first point of the field, if any, the `_geo` of the document. */
  setGeo(field: string, value: unknown, order: Order): void {
    if (value === undefined || value === null) return;
    const isList = Array.isArray(value) && typeof value[0] !== 'number';
    const points: readonly unknown[] = isList ? value : [value];
    const point = placeOf(points[0], order);
    if (point !== null) this.set['_geo'] = point;
    else this.note(field, 'is no point on the globe, so the document has no `_geo`');
    if (points.length > 1) this.note(field, 'has several points: the first is `_geo`');
  }

  /** Moves vectors to `_vectors`; a document without one opts out of the embedder. */
  moveVectors(document: Json, fields: readonly string[]): void {
    if (fields.length === 0) return;
    const vectors = fields.map((field) => [field, document[field] ?? null] as const);
    this.set['_vectors'] = Object.fromEntries(vectors);
    this.remove.push(...fields.filter((field) => Object.hasOwn(document, field)));
  }
}

const numberOf = (value: unknown): number | null => {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
};

/** Returns null for an invalid point. */
function placeAt(lat: unknown, lng: unknown): Place | null {
  const [north, east] = [numberOf(lat), numberOf(lng)];
  if (north === null || east === null) return null;
  if (Math.abs(north) > 90 || Math.abs(east) > 180) return null;
  return { lat: north, lng: east };
}

const WKT_POINT = /^\s*POINT\s*\(\s*(\S+)\s+(\S+)\s*\)\s*$/i;

/**
 * Accepts a pair of numbers in the given order, `lat` with `lon` or `lng`, GeoJSON, WKT or
 * "lat,lon".
 */
function placeOf(value: unknown, order: Order): Place | null {
  if (Array.isArray(value))
    return order === 'latitude first' ? placeAt(value[0], value[1]) : placeAt(value[1], value[0]);
  if (isObject(value)) {
    const { coordinates } = value;
    if (Array.isArray(coordinates)) return placeAt(coordinates[1], coordinates[0]);
    return placeAt(value['lat'], value['lon'] ?? value['lng']);
  }
  if (typeof value !== 'string') return null;
  const [, x, y] = WKT_POINT.exec(value) ?? [];
  if (x !== undefined) return placeAt(y, x);
  const [lat, lng, ...more] = value.split(',');
  return more.length === 0 ? placeAt(lat, lng) : null;
}
