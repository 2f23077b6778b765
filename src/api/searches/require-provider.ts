/** Embedders and rerankers of an index, by the names that requests use. */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';

/**
 * @param providers of the index, by name
 * @throws ApiError with the code; the message names all providers of the index
 */
export function requireProvider<Provider>(
  kind: 'Embedder' | 'Reranker',
  providers: Readonly<Record<string, Provider>>,
  name: string,
  code: ErrorCode,
): Provider {
  const found = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(providers).map((known) => `\`${known}\``);
  const plural = `${kind.toLowerCase()}s`;
  const has = names.length === 0 ? `no ${plural}` : `the ${plural} ${names.join(', ')}`;
  throw new ApiError(code, `${kind} \`${name}\` not found. This index has ${has}.`);
}
