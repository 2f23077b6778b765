/** Reads the primary key of a document or hit. Pure. */
import { isObject } from '../core/json.ts';

const isFound = (value: unknown): boolean => value !== undefined;

/** The first value at a path with dots, also below the objects of lists; undefined if there is none. */
export function primaryKeyValue(document: unknown, path: string): unknown {
  if (Array.isArray(document))
    return document.map((each) => primaryKeyValue(each, path)).find(isFound);
  if (!isObject(document)) return undefined;
  if (Object.hasOwn(document, path) || !path.includes('.')) return document[path];
  const names = Object.keys(document).filter((name) => path.startsWith(`${name}.`));
  return names
    .map((name) => primaryKeyValue(document[name], path.slice(name.length + 1)))
    .find(isFound);
}
