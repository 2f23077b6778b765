/** Adds members to the JSON object that ends a buffer. */
import type { ByteBuffer } from '../bytes/byte-buffer.ts';

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const COMMA = 0x2c;

/**
 * Opens the object that ends the buffer for another member; returns the length at which to close it
 * if no member follows.
 */
export function reopenObject(out: ByteBuffer): number {
  out.length--;
  const before = out.length;
  if (out.bytes[out.length - 1] !== OPENING_BRACE) out.pushByte(COMMA);
  return before;
}

export const closeObject = (out: ByteBuffer): void => out.pushByte(CLOSING_BRACE);

/** @param members JSON text of members without outer commas */
export function appendMembers(out: ByteBuffer, members: string): void {
  reopenObject(out);
  out.pushText(members);
  closeObject(out);
}
