/** Validates names in paths that follow the rules of index uids. */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { isIndexUid } from '../../model/schemas/schema.ts';

/** @param kind of the name, for the message. @throws ApiError with the code */
export function checkedUid(
  uid: string,
  kind: string,
  code: ErrorCode = 'invalid_index_uid',
): string {
  if (isIndexUid(uid)) return uid;
  throw new ApiError(
    code,
    `\`${uid.slice(0, 100)}\` is not a valid ${kind}, which has 1 to ${limits.indexUidBytesMax} characters of \`A-Z a-z 0-9 _ -\`.`,
  );
}
