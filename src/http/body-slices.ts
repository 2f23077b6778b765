/**
 * Slices of a large answer. Adapters write one slice per turn of the event loop, so that an answer of
 * 100 MiB delays no other request: joining its parts would block the loop for 0.3 s.
 */

/** Upper bound of a slice. A shorter body is written at once. */
export const SLICE_BYTES = 1 << 20;
/** Shorter parts are joined: each slice costs a system call. */
const JOINED_BYTES_MAX = SLICE_BYTES / 4;

export const byteLengthOf = (parts: readonly Uint8Array[]): number =>
  parts.reduce((sum, { length }) => sum + length, 0);

export function* slicesOf(parts: readonly Uint8Array[]): Generator<Uint8Array, void, void> {
  let short: Uint8Array[] = [];
  let shortBytes = 0;
  for (const part of parts) {
    const isShort = part.length < JOINED_BYTES_MAX;
    if (shortBytes > 0 && (!isShort || shortBytes + part.length > SLICE_BYTES)) {
      yield Buffer.concat(short, shortBytes);
      short = [];
      shortBytes = 0;
    }
    if (isShort) {
      short.push(part);
      shortBytes += part.length;
    } else
      for (let at = 0; at < part.length; at += SLICE_BYTES)
        yield part.subarray(at, at + SLICE_BYTES);
  }
  if (shortBytes > 0) yield Buffer.concat(short, shortBytes);
}
