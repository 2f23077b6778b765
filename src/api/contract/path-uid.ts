/** Validates uids in paths that follow the rules of index uids. */
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { isIndexUid } from '../../model/schemas/schema.ts';

/** @param what the kind of uid, for the message. @throws ApiError `invalid_index_uid` */
export function checkedUid(uid: string, what: string): string {
  if (isIndexUid(uid)) return uid;
  throw new ApiError(
    'invalid_index_uid',
    `\`${uid.slice(0, 100)}\` is not a valid uid of a ${what}, which has 1 to ${limits.indexUidBytesMax} characters of \`A-Z a-z 0-9 _ -\`.`,
  );
}
