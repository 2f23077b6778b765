/** Add-or-update: merges the top-level members of a new document into the stored one. */
import type { ByteBuffer } from './byte-buffer.ts';
import { compactNode, lastValues } from './compact-json.ts';
import { stringText } from './json-string.ts';
import type { JsonTape } from './json-tape.ts';

/**
 * Appends the merged object: members of `older` in their order, with the newer value if there is
 * one, then the members that only `newer` has. Nested objects are replaced as a whole. Both roots
 * are objects; the result is compact.
 */
export function mergeDocuments(older: JsonTape, newer: JsonTape, out: ByteBuffer): void {
  const values = lastValues(newer, 0);
  const olderValues = lastValues(older, 0);
  out.pushByte(0x7b);
  const empty = out.length;
  writeMembers(older, out, empty, (name) => {
    const own = olderValues.get(name);
    if (own === undefined) return null;
    olderValues.delete(name);
    const replacement = values.get(name);
    values.delete(name);
    return replacement === undefined
      ? { tape: older, node: own }
      : { tape: newer, node: replacement };
  });
  writeMembers(newer, out, empty, (name) => {
    const node = values.get(name);
    values.delete(name);
    return node === undefined ? null : { tape: newer, node };
  });
  out.pushByte(0x7d);
}

type Chosen = { readonly tape: JsonTape; readonly node: number } | null;

/** Writes the members of the tape's root for whose name `choose` returns a value. */
function writeMembers(
  tape: JsonTape,
  out: ByteBuffer,
  empty: number,
  choose: (name: string) => Chosen,
): void {
  const after = tape.next(0);
  for (let key = 1; key < after; key = tape.next(key + 1)) {
    const chosen = choose(stringText(tape, key));
    if (chosen === null) continue;
    if (out.length > empty) out.pushByte(0x2c);
    compactNode(tape, key, out);
    out.pushByte(0x3a);
    compactNode(chosen.tape, chosen.node, out);
  }
}
