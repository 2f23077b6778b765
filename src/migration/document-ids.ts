/** Ids of other systems, where characters are free, as ids of documents here. */
import { createHash } from 'node:crypto';
import { limits } from '../core/limits.ts';

/** Where the id stands as it was, in documents whose id had to change. */
export const ORIGINAL_ID = 'originalId';

const ALLOWED = /^[A-Za-z0-9_-]+$/;
/** What stands for other bytes: their hexadecimal digits between `_x` and `_`. */
const ESCAPED = /_x(?:[0-9a-f]{2})*_/;
const OTHERS = /[^A-Za-z0-9_-]+/g;
const UNDERSCORE_BEFORE_X = /_(?=x)/g;

const escaped = (text: string): string => `_x${Buffer.from(text).toString('hex')}_`;

/** The same for the same id, and never the same for two. */
export function allowedId(id: string): string {
  if (ALLOWED.test(id) && !ESCAPED.test(id) && id.length <= limits.documentIdBytesMax) return id;
  const whole =
    id === '' ? escaped('') : id.replace(UNDERSCORE_BEFORE_X, escaped).replace(OTHERS, escaped);
  if (whole.length <= limits.documentIdBytesMax) return whole;
  return `_xlong_${createHash('sha256').update(id).digest('hex')}`;
}

/** For a document without one: of its place, so that it is the same when it is sent again. */
export const idOfPlace = (place: string): string =>
  `auto-${createHash('sha256').update(place).digest('hex').slice(0, 32)}`;
