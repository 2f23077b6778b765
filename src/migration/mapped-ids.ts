/** Converts ids of other systems, which may hold any character, to valid document ids. */
import { createHash } from 'node:crypto';
import { limits } from '../core/limits.ts';

/** Field with the original id, in documents whose id had to change. */
export const ORIGINAL_ID = 'originalId';

const ALLOWED = /^[A-Za-z0-9_-]+$/;
/** Escape of other bytes: hexadecimal digits between `_x` and `_`. */
const ESCAPED = /_x(?:[0-9a-f]{2})*_/;
const OTHERS = /[^A-Za-z0-9_-]+/g;
const UNDERSCORE_BEFORE_X = /_(?=x)/g;

const escaped = (text: string): string => `_x${Buffer.from(text).toString('hex')}_`;

/** Deterministic and injective: different ids never become the same id. */
export function allowedId(id: string): string {
  if (ALLOWED.test(id) && !ESCAPED.test(id) && id.length <= limits.documentIdBytesMax) return id;
  const whole =
    id === '' ? escaped('') : id.replace(UNDERSCORE_BEFORE_X, escaped).replace(OTHERS, escaped);
  if (whole.length <= limits.documentIdBytesMax) return whole;
  return `_xlong_${createHash('sha256').update(id).digest('hex')}`;
}

/** Id of a document without one: derived from its position, so that a retry sends the same id. */
export const idOfPlace = (place: string): string =>
  `auto-${createHash('sha256').update(place).digest('hex').slice(0, 32)}`;
