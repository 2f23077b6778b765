/** `diversity` of a search body, checked beyond its schema. */
import { ApiError } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import { limits } from '../../core/limits.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import type { Diversity } from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';
import { requireEmbedder } from './semantic-query.ts';

const STRENGTH_DEFAULT = 0.5;
const CODE = 'invalid_search_diversity';

/** null if not given. @throws ApiError `invalid_search_diversity` */
export function parseDiversity(
  { diversity, groupBy }: Pick<SearchBody, 'diversity' | 'groupBy'>,
  settings: Settings,
): Diversity | null {
  if (!isGiven(diversity)) return null;
  const { attribute, embedder } = diversity;
  const { strength = STRENGTH_DEFAULT, limit = limits.diversityDefault } = diversity;
  if (isGiven(groupBy)) {
    throw new ApiError(
      CODE,
      `\`diversity\` and \`groupBy\` (\`${groupBy}\`) exclude each other; give one of them. \`distinct\` is possible with \`diversity\`.`,
    );
  }
  if (attribute !== undefined && embedder === undefined) return { attribute, strength, limit };
  if (embedder !== undefined && attribute === undefined) {
    requireEmbedder(settings, embedder, CODE);
    return { embedder, strength, limit };
  }
  const found = attribute === undefined ? 'neither' : `\`${attribute}\` and \`${embedder}\``;
  throw new ApiError(
    CODE,
    `\`diversity\` takes one of \`attribute\` and \`embedder\`; it has ${found}.`,
  );
}
