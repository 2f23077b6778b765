/** Lists the buffers of plain data, to transfer them to another thread instead of copying them. */

/** Each buffer once. Shared buffers are left out: they need no transfer. */
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
 * A copy of the data in which every array fills its buffer. Without this, posting an array to
 * another thread copies the complete buffer behind it.
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
