/** The memory that plain data stands in, for handing it over to another thread instead of copying it. */

/** Each buffer once; shared ones, which need no handing over, are left out. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  collect(value, found);
  return [...found];
}

function collect(value: unknown, found: Set<ArrayBuffer>): void {
  if (typeof value !== 'object' || value === null) return;
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else for (const member of Object.values(value)) collect(member, found);
}

/**
 * The same data, in which no array stands in a larger buffer than it fills: one that crosses threads
 * is copied with its whole buffer.
 */
export function fitted<Data>(value: Data): Data {
  return fit(value) as Data;
}

function fit(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (ArrayBuffer.isView(value)) {
    const array = value as Uint8Array;
    return array.byteLength === array.buffer.byteLength ? array : array.slice();
  }
  if (Array.isArray(value)) return value.map(fit);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fit(member)]));
}
