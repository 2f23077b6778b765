/** Time-ordered identifiers (UUID version 7), for requests and other sequences. */

const POOL_BYTES = 4096;
const RANDOM_BYTES_PER_UID = 10;
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** A generator with its own pool of random bytes. @param now milliseconds since the epoch */
export function createTimeOrderedUids(now: () => number): () => string {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  const next = (): number => pool[used++] ?? 0;
  return () => {
    if (used + RANDOM_BYTES_PER_UID > POOL_BYTES) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const time = now().toString(16).padStart(12, '0');
    const version = hex[0x70 | (next() & 0x0f)];
    const variant = hex[0x80 | (next() & 0x3f)];
    let tail = '';
    for (let i = 0; i < 6; i++) tail += hex[next()];
    return `${time.slice(0, 8)}-${time.slice(8)}-${version}${hex[next()]}-${variant}${hex[next()]}-${tail}`;
  };
}
