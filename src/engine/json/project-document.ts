/** Reduces a stored document to the requested fields, bytes to bytes. */
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { encodeUtf8 } from '../bytes/utf8.ts';
import { rangeEquals, stringEquals, stringText, unescapeInto } from './json-string.ts';
import { ESCAPED, JsonKind, JsonTape } from './json-tape.ts';

/** Fields to keep, as paths relative to an object. */
export interface FieldSelection {
  readonly paths: readonly Uint8Array[];
  /** Further paths, each for the documents that have a member there. */
  readonly pathsIfPresent: readonly Uint8Array[];
}

const DOT = 0x2e;
const tape = new JsonTape();
const scratch = new ByteBuffer();
/** Longer lists of paths are scanned once per member name. */
const SCANNED_PATHS_MAX = 16;

/** The selection of a member: all of it, nothing, or these paths below it. */
type Below = 'whole' | 'none' | readonly Uint8Array[];

/** By path list, then by member name. */
const knownBelow = new WeakMap<readonly Uint8Array[], Map<string, Below>>();

/**
 * `a.b` selects member `b` of the object (or of the objects in the array) `a`, and also a member
 * named `a.b`.
 *
 * @param ifPresent the fields that leave no trace, such as an empty object, in a document without
 * them
 */
export function compileSelection(
  fields: readonly string[],
  ifPresent: readonly string[] = [],
): FieldSelection {
  const optional = new Set(ifPresent);
  const always = new Set(fields.filter((field) => !optional.has(field)));
  return { paths: encodeAll(always), pathsIfPresent: encodeAll(optional) };
}

const encodeAll = (fields: ReadonlySet<string>): Uint8Array[] => [...fields].map(encodeUtf8);

/**
 * The selected members of `json` (one compact document), in document order. On the path to a nested
 * field, array elements keep their index, scalars stay, and an object with nothing left stays as
 * `{}`.
 */
export function projectDocument(json: Uint8Array, selection: FieldSelection): Uint8Array {
  const out = new ByteBuffer();
  projectDocumentInto(json, selection, out);
  return out.view();
}

/** The same, appended to `out`. */
export function projectDocumentInto(
  json: Uint8Array,
  selection: FieldSelection,
  out: ByteBuffer,
): void {
  tape.scan(json, 0, json.length);
  const present = selection.pathsIfPresent.filter((path) => leadsToMember(0, path));
  const paths = present.length === 0 ? selection.paths : [...selection.paths, ...present];
  projectNode(0, paths, out);
}

/** True if the node, or an element of the array, has a member on this path. */
function leadsToMember(node: number, path: Uint8Array): boolean {
  const kind = tape.kind(node);
  if (kind === JsonKind.object) return hasMember(node, path);
  if (kind !== JsonKind.array) return false;
  for (let element = node + 1; element < tape.next(node); element = tape.next(element))
    if (leadsToMember(element, path)) return true;
  return false;
}

function hasMember(object: number, path: Uint8Array): boolean {
  for (let key = object + 1; key < tape.next(object); key = tape.next(key + 1)) {
    if (stringEquals(tape, key, path)) return true;
    const rest = restAfterKey(key, path);
    if (rest !== null && leadsToMember(key + 1, rest)) return true;
  }
  return false;
}

function projectNode(node: number, paths: readonly Uint8Array[], out: ByteBuffer): void {
  const kind = tape.kind(node);
  if (kind === JsonKind.object) projectObject(node, paths, out);
  else if (kind === JsonKind.array) projectArray(node, paths, out);
  else out.pushRange(tape.bytes, tape.start(node), tape.end(node));
}

function projectArray(array: number, paths: readonly Uint8Array[], out: ByteBuffer): void {
  const after = tape.next(array);
  out.pushByte(0x5b);
  for (let element = array + 1; element < after; element = tape.next(element)) {
    if (element > array + 1) out.pushByte(0x2c);
    projectNode(element, paths, out);
  }
  out.pushByte(0x5d);
}

function projectObject(object: number, paths: readonly Uint8Array[], out: ByteBuffer): void {
  const after = tape.next(object);
  out.pushByte(0x7b);
  const empty = out.length;
  for (let key = object + 1; key < after; key = tape.next(key + 1)) {
    const below = pathsBelow(key, paths);
    if (below === 'none') continue;
    if (out.length > empty) out.pushByte(0x2c);
    out.pushRange(tape.bytes, tape.start(key), tape.end(key));
    out.pushByte(0x3a);
    if (below === 'whole') out.pushRange(tape.bytes, tape.start(key + 1), tape.end(key + 1));
    else projectNode(key + 1, below, out);
  }
  out.pushByte(0x7d);
}

function pathsBelow(key: number, paths: readonly Uint8Array[]): Below {
  if (paths.length <= SCANNED_PATHS_MAX) return scanPaths(key, paths);
  let known = knownBelow.get(paths);
  if (known === undefined) {
    known = new Map();
    knownBelow.set(paths, known);
  }
  const name = stringText(tape, key);
  let below = known.get(name);
  if (below === undefined) {
    below = scanPaths(key, paths);
    known.set(name, below);
  }
  return below;
}

function scanPaths(key: number, paths: readonly Uint8Array[]): Below {
  let below: Uint8Array[] | null = null;
  for (const path of paths) {
    if (stringEquals(tape, key, path)) return 'whole';
    const rest = restAfterKey(key, path);
    if (rest === null) continue;
    below ??= [];
    below.push(rest);
  }
  return below ?? 'none';
}

/** `b.c` for key `a` and path `a.b.c`; null when the path does not lead through the key. */
function restAfterKey(key: number, path: Uint8Array): Uint8Array | null {
  let bytes = tape.bytes;
  let start = tape.start(key) + 1;
  let end = tape.end(key) - 1;
  if ((tape.flags(key) & ESCAPED) !== 0) {
    scratch.clear();
    unescapeInto(bytes, start, end, scratch);
    bytes = scratch.bytes;
    start = 0;
    end = scratch.length;
  }
  const length = end - start;
  if (
    path.length <= length ||
    path[length] !== DOT ||
    !rangeEquals(bytes, start, end, path.subarray(0, length))
  )
    return null;
  return path.subarray(length + 1);
}
