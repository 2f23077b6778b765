/** Documents that say of embedders that they have no vector, where they say nothing of them. */
import { appendMembers } from '../../engine/json/append-members.ts';
import { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import { PayloadReader } from '../../engine/json/payload-reader.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import { DocumentEntries, vectorsNode } from '../../segments/contract/document-entries.ts';

const LINE_END = 0x0a;

/** @param lines one document each @param embedders names of them */
export function optedOut(lines: Uint8Array, embedders: readonly string[]): Uint8Array {
  const entries = new DocumentEntries();
  const out = new ByteBuffer();
  const reader = new PayloadReader(lines, 'ndjson');
  while (reader.next()) {
    const { tape } = reader;
    entries.begin(tape);
    const silent = embedders.filter((name) => entries.node(name) < 0);
    writeDocument(
      tape,
      silent.map((name) => `${JSON.stringify(name)}:null`),
      out,
    );
    out.pushByte(LINE_END);
  }
  return out.view().slice();
}

/** The document with further members of `_vectors`. */
function writeDocument(tape: JsonTape, members: readonly string[], out: ByteBuffer): void {
  const vectors = vectorsNode(tape);
  const end = members.length === 0 ? tape.end(0) : tape.end(vectors < 0 ? 0 : vectors);
  out.pushRange(tape.bytes, tape.start(0), end);
  if (members.length === 0) return;
  const list = members.join(',');
  appendMembers(out, vectors < 0 ? `"${VECTORS_FIELD}":{${list}}` : list);
  out.pushRange(tape.bytes, end, tape.end(0));
}
