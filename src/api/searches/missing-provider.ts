/** Error for an embedder or a reranker that an index lacks. */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';

/** @param given the providers of the index, by name */
export function missingProvider(
  kind: 'Embedder' | 'Reranker',
  name: string,
  given: object,
  code: ErrorCode,
): ApiError {
  const names = Object.keys(given).map((known) => `\`${known}\``);
  const plural = `${kind.toLowerCase()}s`;
  const has = names.length === 0 ? `no ${plural}` : `the ${plural} ${names.join(', ')}`;
  return new ApiError(code, `${kind} \`${name}\` not found. This index has ${has}.`);
}
