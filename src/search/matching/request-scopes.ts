/**
 * The fields in which the words of a request count: the searchable fields, or the subset in
 * `attributesToSearchOn`.
 */
import type { SearchRequest } from '../../model/search.ts';
import { buildScope, type FieldScope, restrictedFields } from '../snapshot/field-scope.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

export interface RequestScopes {
  /** Identifies the choice in every thread. */
  readonly key: string;
  /** Fields in which words count. */
  readonly present: FieldScope;
  /** Fields in which words with typos count. */
  readonly tolerant: FieldScope;
  /** 1 for global fields of `present`, else 0. */
  readonly presentFields: Uint8Array;
}

/** @throws ApiError for a name that is not searchable */
export function requestScopes(snapshot: IndexSnapshot, request: SearchRequest): RequestScopes {
  const { fields, segments, fieldNumber, manifest, everywhere, tolerant } = snapshot;
  const restricted = restrictedFields(request.attributesToSearchOn, fields, manifest.settings);
  if (restricted === null) {
    const presentFields = flags(fields.paths.length, (field) => fields.weights[field]! >= 0);
    return { key: 'searchable', present: everywhere, tolerant, presentFields };
  }
  const isPresent = (field: number): boolean =>
    fields.weights[field]! >= 0 && restricted.has(field);
  const present = buildScope(segments, fieldNumber, isPresent);
  return {
    key: JSON.stringify([...restricted].map((field) => fields.paths[field])),
    present,
    tolerant:
      tolerant === everywhere
        ? present
        : buildScope(segments, fieldNumber, (field) => isPresent(field) && fields.tolerant[field]!),
    presentFields: flags(fields.paths.length, isPresent),
  };
}

function flags(fieldCount: number, holds: (field: number) => boolean): Uint8Array {
  const found = new Uint8Array(fieldCount);
  for (let field = 0; field < fieldCount; field++) if (holds(field)) found[field] = 1;
  return found;
}
