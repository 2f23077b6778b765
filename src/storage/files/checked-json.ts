/** JSON after its checksum, on one line: CRC-32C of the JSON in 8 hex digits, a blank, the JSON. */
import { parseJson } from '../../core/json.ts';
import { crc32c } from '../../engine/bytes/crc32c.ts';

const CHECKSUM_CHARACTERS = 8;

export function checkedJson(value: unknown): string {
  const json = JSON.stringify(value);
  const checksum = crc32c(Buffer.from(json)).toString(16).padStart(CHECKSUM_CHARACTERS, '0');
  return `${checksum} ${json}`;
}

/** Returns undefined if the bytes are damaged. */
export function readCheckedJson(bytes: Buffer): unknown {
  const checksum = Number.parseInt(bytes.toString('latin1', 0, CHECKSUM_CHARACTERS), 16);
  const json = bytes.subarray(CHECKSUM_CHARACTERS + 1);
  return checksum === crc32c(json) ? parseJson(json) : undefined;
}
