/**
 * Offsets after the long values of a stored document: a reader looking for another member skips a
 * long value without decoding it.
 *
 *   storedSkips         for each document: varint length of its skips, skips
 *   storedSkipOffsets   u32 × (⌈n / 16⌉ + 1): where documents 0, 16, 32, … start in storedSkips, and its end
 *
 * Both are empty when no document has a skip, and absent in files of releases without skips.
 * A document has a skip for each top-level value of `LONG_VALUE_BYTES` or more that another member
 * follows, in order: varint codes from the last skip (or the first code) to the code in which that
 * member starts, varint bytes of this code's token that lie before the member.
 */
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import type { TokenTable } from '../bytes/token-table.ts';
import { ValueEnd } from '../json/value-end.ts';
import type { GroupedRunsWriter } from './grouped-runs.ts';

/** Length of a value in JSON. Shorter values are decoded faster than skipped. */
export const LONG_VALUE_BYTES = 512;
/** Documents of a group, as a power of two. */
export const SKIP_GROUP_SHIFT = 4;
const COMMA = 0x2c;

export interface MemberSkipSections {
  readonly storedSkips: Uint8Array;
  readonly storedSkipOffsets: Uint32Array;
}

const valueEnd = new ValueEnd();

/** Calls `visit` with the start of each member that follows a long value of a document. */
function forEachMemberBehindLong(json: Uint8Array, visit: (start: number) => void): void {
  if (json.length < LONG_VALUE_BYTES) return;
  for (let key = 1; key < json.length; ) {
    const keyEnd = endOf(json, key);
    const value = keyEnd + 1;
    const end = keyEnd < 0 ? -1 : endOf(json, value);
    if (end < 0 || json[end] !== COMMA) return;
    key = end + 1;
    if (end - value >= LONG_VALUE_BYTES) visit(key);
  }
}

function endOf(json: Uint8Array, start: number): number {
  valueEnd.begin(start);
  return valueEnd.find(json, json.length);
}

const own = new ByteBuffer(64);

/**
 * Skips of a document; valid until the next call.
 * @param codes `json` encoded by the table
 */
export function skipsOf(json: Uint8Array, codes: Uint8Array, table: TokenTable): Uint8Array {
  own.length = 0;
  let at = 0;
  let textEnd = 0;
  let skipped = 0;
  forEachMemberBehindLong(json, (start) => {
    for (;;) {
      const tokenEnd = textEnd + table.lengthAt(codes, at);
      if (tokenEnd > start) break;
      textEnd = tokenEnd;
      at += table.codeBytesAt(codes, at);
    }
    own.pushVarint(at - skipped);
    own.pushVarint(start - textEnd);
    skipped = at;
  });
  return own.bytes.subarray(0, own.length);
}

/** The sections of the skips of all documents. */
export function skipSections(skips: GroupedRunsWriter): MemberSkipSections {
  if (skips.areEmpty)
    return { storedSkips: new Uint8Array(0), storedSkipOffsets: new Uint32Array(0) };
  const { runs, offsets } = skips.finish();
  return { storedSkips: runs, storedSkipOffsets: offsets };
}
