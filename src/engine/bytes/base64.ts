/** Base64 without platform helpers, for binary values inside JSON records. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const VALUES = new Uint8Array(128).fill(255);
for (let i = 0; i < 64; i++) VALUES[ALPHABET.charCodeAt(i)] = i;

export function encodeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const group = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    parts.push(
      ALPHABET[group >>> 18]! +
        ALPHABET[(group >>> 12) & 63]! +
        (left > 1 ? ALPHABET[(group >>> 6) & 63]! : '=') +
        (left > 2 ? ALPHABET[group & 63]! : '='),
    );
  }
  return parts.join('');
}

/** Throws on a character outside the alphabet. */
export function decodeBase64(text: string): Uint8Array {
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === 61) length--;
  const bytes = new Uint8Array((length * 3) >>> 2);
  let group = 0;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < length; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? 255;
    if (value === 255) throw new Error(`not base64: character ${JSON.stringify(text[i])} at ${i}`);
    group = ((group << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = group >>> bits;
    }
  }
  return bytes;
}
