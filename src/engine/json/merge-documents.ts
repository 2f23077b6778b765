/** Add-or-update: merges the top-level members of a new document into the stored one. */
import type { ByteBuffer } from '../bytes/byte-buffer.ts';
import { compactNode, lastValues } from './compact-json.ts';
import { stringText } from './json-string.ts';
import { JsonKind, type JsonTape } from './json-tape.ts';

/**
 * Appends the merged object: members of `older` in their order, with the newer value if there is
 * one, then the members that only `newer` has. Nested objects are replaced as a whole, except
 * the top-level member `mergedMember`, which is merged by its own members where both are objects.
 * Both roots are objects; the result is compact.
 */
export function mergeDocuments(
  older: JsonTape,
  newer: JsonTape,
  mergedMember: string,
  out: ByteBuffer,
): void {
  mergeObjects(
    { tape: older, node: 0 },
    { tape: newer, node: 0 },
    out,
    (name, own, replacement) => {
      if (name === mergedMember && isObject(own) && isObject(replacement))
        mergeObjects(own, replacement, out, writeNewer);
      else writeNewer(name, own, replacement);
    },
  );

  function writeNewer(_name: string, _own: Value, { tape, node }: Value): void {
    compactNode(tape, node, out);
  }
}

interface Value {
  readonly tape: JsonTape;
  readonly node: number;
}

const isObject = ({ tape, node }: Value): boolean => tape.kind(node) === JsonKind.object;

/** @param writeBoth appends the value of a member that both objects have */
function mergeObjects(
  older: Value,
  newer: Value,
  out: ByteBuffer,
  writeBoth: (name: string, own: Value, replacement: Value) => void,
): void {
  const values = lastValues(newer.tape, newer.node);
  const olderValues = lastValues(older.tape, older.node);
  out.pushByte(0x7b);
  const empty = out.length;
  writeMembers(older, olderValues, out, empty, (name, node) => {
    const replacement = values.get(name);
    values.delete(name);
    if (replacement === undefined) compactNode(older.tape, node, out);
    else writeBoth(name, { tape: older.tape, node }, { tape: newer.tape, node: replacement });
  });
  writeMembers(newer, values, out, empty, (_name, node) => compactNode(newer.tape, node, out));
  out.pushByte(0x7d);
}

/** Writes the members of the object that are `left`, and removes them from there. */
function writeMembers(
  { tape, node: object }: Value,
  left: Map<string, number>,
  out: ByteBuffer,
  empty: number,
  writeValue: (name: string, node: number) => void,
): void {
  const after = tape.next(object);
  for (let key = object + 1; key < after; key = tape.next(key + 1)) {
    const name = stringText(tape, key);
    const node = left.get(name);
    if (node === undefined) continue;
    left.delete(name);
    if (out.length > empty) out.pushByte(0x2c);
    compactNode(tape, key, out);
    out.pushByte(0x3a);
    writeValue(name, node);
  }
}
