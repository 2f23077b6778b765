/** Base64 of binary values inside JSON records; other characters are damage. */

export const encodeBase64 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('base64');

/** Throws on a character outside the alphabet. */
export function decodeBase64(text: string): Uint8Array {
  const at = text.replace(/=*$/, '').search(/[^A-Za-z0-9+/]/);
  if (at >= 0) throw new Error(`not base64: character ${JSON.stringify(text[at])} at ${at}`);
  return new Uint8Array(Buffer.from(text, 'base64'));
}
