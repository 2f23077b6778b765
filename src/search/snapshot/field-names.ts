/** Names of the fields of an index. */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { GEO_FIELD } from '../../engine/columns/geo-field.ts';
import { isFieldOrBelow, isListed } from '../../model/attribute-pattern.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

/** Computed once per snapshot: an index may have as many shapes as documents. */
const namesOf = new WeakMap<IndexSnapshot, ReadonlySet<string>>();

/**
 * Members of documents, and below them the searchable paths, the paths with a column and the
 * objects on the way to these. `_vectors` stands for all of its paths.
 */
export function fieldNames(snapshot: IndexSnapshot): ReadonlySet<string> {
  return getOrCompute(namesOf, snapshot, () => listNames(snapshot));
}

function listNames({ segments, columns, vectors }: IndexSnapshot): Set<string> {
  const names = new Set<string>();
  for (const { shapes } of segments)
    for (const shape of shapes) for (const name of shape) names.add(name);
  const paths = [
    ...segments.flatMap(({ fields }) => [...fields]),
    ...columns.flat().flatMap((column) => [...column.paths]),
    ...(names.has(GEO_FIELD) ? [`${GEO_FIELD}.lat`, `${GEO_FIELD}.lng`] : []),
  ];
  for (const path of paths)
    for (let at = path; at !== '' && !names.has(at); at = parentOf(at)) names.add(at);
  for (const name of names) if (isBelowVectors(name)) names.delete(name);
  if (vectors.some((files) => files.size > 0)) names.add(VECTORS_FIELD);
  return names;
}

const isBelowVectors = (name: string): boolean =>
  name !== VECTORS_FIELD && isFieldOrBelow(name, VECTORS_FIELD);

/** '' for a path without a parent. */
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

/**
 * False if no document has the field. Fields that are neither searched nor in a column are unknown
 * below the members of documents: any of them may exist, but for names that look like patterns.
 */
export function mayHaveField(snapshot: IndexSnapshot, path: string): boolean {
  const names = fieldNames(snapshot);
  if (names.has(path)) return true;
  if (path.includes('*')) return false;
  const { searchableAttributes } = snapshot.manifest.settings;
  return !isListed(searchableAttributes, path) && hasParent(names, path);
}

/** True if the path lies below one of the names. */
export function hasParent(names: ReadonlySet<string>, path: string): boolean {
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1))
    if (names.has(path.slice(0, dot))) return true;
  return false;
}
