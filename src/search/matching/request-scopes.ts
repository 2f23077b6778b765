/**
 * Where the words of a request count: the searchable fields, or those of them that
 * `attributesToSearchOn` names.
 */
import type { SearchRequest } from '../../model/search.ts';
import { buildScope, type FieldScope, restrictedFields } from '../snapshot/field-scope.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

export interface RequestScopes {
  /** Names the choice among those of a generation. */
  readonly key: string;
  /** Where words count. */
  readonly present: FieldScope;
  /** Where words reached by typo count. */
  readonly tolerant: FieldScope;
  /** Global fields of `present`: 1 or 0. */
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
    key: [...restricted].join(),
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
