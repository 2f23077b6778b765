/**
 * The fields in which a word may be found, and their weights: derived from settings and the
 * request's `attributesToSearchOn`.
 */
import { ApiError } from '../../core/errors.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { isFieldOrBelow, patternMatches } from '../../model/attribute-pattern.ts';
import type { Settings } from '../../model/settings.ts';

/** A subset of the fields, prepared for one segment. */
export interface SegmentScope {
  /** Local field → global field, −1 when outside the scope. */
  readonly fieldMap: Int32Array;
  /**
   * Bits of `PostingLists.fieldMask` that stand for at least one field inside, and at least one
   * outside.
   */
  readonly inside: number;
  readonly outside: number;
}

/** One scope, over all segments of a snapshot. */
export type FieldScope = readonly SegmentScope[];

export interface SearchableFields {
  /** Paths; a global field number is an index into this. */
  readonly paths: readonly string[];
  /**
   * Index of the entry of `searchableAttributes` that covers the field; 0 with `*`; −1 when not
   * searchable.
   */
  readonly weights: Int32Array;
  /** False for fields under `disableOnAttributes`. */
  readonly tolerant: readonly boolean[];
  /** `searchableAttributes` without `*`. */
  readonly isUserDefined: boolean;
  readonly attributeCount: number;
}

export function searchableFields(paths: readonly string[], settings: Settings): SearchableFields {
  const attributes = settings.searchableAttributes;
  const isUserDefined = !attributes.includes('*');
  const weights = Int32Array.from(paths, (path) =>
    attributes.findIndex((a) => a === '*' || isFieldOrBelow(path, a)),
  );
  const strict = settings.typoTolerance.disableOnAttributes;
  return {
    paths,
    weights,
    tolerant: paths.map((path) => !strict.some((a) => isFieldOrBelow(path, a))),
    isUserDefined,
    attributeCount: attributes.length,
  };
}

/** Scope of the fields for which `allowed` returns true. */
export function buildScope(
  segments: readonly SegmentReader[],
  fieldNumber: ReadonlyMap<string, number>,
  allowed: (globalField: number) => boolean,
): FieldScope {
  return segments.map((segment) => {
    const fieldMap = new Int32Array(segment.fields.length).fill(-1);
    let inside = 0;
    let outside = 0;
    segment.fields.forEach((path, local) => {
      const field = fieldNumber.get(path)!;
      const bit = 1 << Math.min(local, 31);
      if (allowed(field)) {
        fieldMap[local] = field;
        inside |= bit;
      } else outside |= bit;
    });
    return { fieldMap, inside, outside };
  });
}

/**
 * Fields that `attributesToSearchOn` selects, or null when it does not restrict.
 * @throws ApiError `invalid_search_attributes_to_search_on` for a name outside user-defined
 * searchable attributes
 */
export function restrictedFields(
  names: readonly string[] | null,
  fields: SearchableFields,
  settings: Settings,
): ReadonlySet<number> | null {
  if (names === null) return null;
  const selected = new Set<number>();
  const numbers = new Map(fields.paths.map((path, field) => [path, field]));
  let objects: ReadonlySet<string> | null = null;
  const isObject = (name: string): boolean => {
    objects ??= searchableObjects(fields);
    return isSearchableObject(name, objects, settings);
  };
  for (const name of new Set(names)) {
    if (name === '*') continue;
    const hits = fieldsOf(name, fields, numbers);
    if (
      hits.length === 0 &&
      fields.isUserDefined &&
      !settings.searchableAttributes.includes(name) &&
      !isObject(name)
    ) {
      throw new ApiError(
        'invalid_search_attributes_to_search_on',
        `Attribute \`${name}\` is not searchable. Searchable attributes are: ${settings.searchableAttributes.map((a) => `\`${a}\``).join(', ')}.`,
      );
    }
    for (const field of hits) selected.add(field);
  }
  return names.includes('*') ? null : selected;
}

/**
 * True for an object below a searchable attribute. It is a field as any other, which holds no words of
 * its own: `attributesToSearchOn` does not go down.
 */
const isSearchableObject = (
  name: string,
  objects: ReadonlySet<string>,
  { searchableAttributes }: Settings,
): boolean => objects.has(name) && searchableAttributes.some((a) => isFieldOrBelow(name, a));

/** Paths above those of searchable fields. */
function searchableObjects({ paths, weights }: SearchableFields): ReadonlySet<string> {
  const objects = new Set<string>();
  for (const [field, path] of paths.entries()) {
    if (weights[field]! < 0) continue;
    for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1))
      objects.add(path.slice(0, dot));
  }
  return objects;
}

/**
 * Searchable fields with this name, or that match the pattern. @param numbers field number by path
 */
function fieldsOf(
  name: string,
  { paths, weights }: SearchableFields,
  numbers: ReadonlyMap<string, number>,
): number[] {
  const isSearchable = (field: number): boolean => weights[field]! >= 0;
  if (name.includes('*'))
    return paths.flatMap((path, field) =>
      isSearchable(field) && patternMatches(name, path) ? [field] : [],
    );
  const field = numbers.get(name);
  return field !== undefined && isSearchable(field) ? [field] : [];
}
