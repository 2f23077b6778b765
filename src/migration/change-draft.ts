/** Collects the changes of one document during its conversion. */

import type { Json } from '../core/json.ts';
import type { MappedPlace } from './mapped-geo.ts';
import { allowedId, ORIGINAL_ID } from './mapped-ids.ts';
import type { DocumentChange, MigrationNote } from './mapped-index.ts';

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
  setGeo(field: string, value: unknown, read: (value: unknown) => MappedPlace | null): void {
    if (value === undefined || value === null) return;
    const isList = Array.isArray(value) && typeof value[0] !== 'number';
    const points: readonly unknown[] = isList ? value : [value];
    const point = read(points[0]);
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
