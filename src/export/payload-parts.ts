/** Splits document lines into parts of request size. */

const LINE_END = 0x0a;

/** Whole lines of at most `bytesMax` together; a longer line is a part of its own. */
export function* payloadParts(lines: Uint8Array, bytesMax: number): Generator<Uint8Array> {
  let start = 0;
  while (start < lines.length) {
    let end = lines.length;
    if (end - start > bytesMax) {
      end = lines.lastIndexOf(LINE_END, start + bytesMax - 1) + 1;
      if (end <= start) end = lines.indexOf(LINE_END, start) + 1;
      if (end <= start) end = lines.length;
    }
    yield lines.subarray(start, end);
    start = end;
  }
}
