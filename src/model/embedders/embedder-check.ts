/** Checks which members go with the source of an embedder, and which it needs. */
import type { ApiError } from '../../core/errors.ts';
import { preview } from '../../core/preview.ts';
import { checkProviderMembers, refuseProvider } from '../provider-check.ts';
import { COMPOSITE_PARTS, EMBEDDER_FIELDS, type EmbedderSource } from './embedder-settings.ts';
import { OPENAI_MODELS, openAiModel } from './openai-models.ts';

/** An embedder in a request, as its schema allows: absent members stay unchanged, null resets one. */
export type EmbedderUpdate = Readonly<Record<string, unknown>>;

export const refuseEmbedder = (path: string, problem: string): ApiError =>
  refuseProvider('embedders', path, problem);

/**
 * @param path name of the embedder, followed by the place of a nested embedder
 * @param stored source of the stored embedder, if the update has none; null = unknown
 * @throws ApiError `invalid_settings_embedders`
 */
export function checkEmbedder(
  path: string,
  update: EmbedderUpdate,
  stored: EmbedderSource | null = null,
): void {
  const source = (update['source'] ?? stored) as EmbedderSource | null;
  if (source !== null)
    checkProviderMembers({ setting: 'embedders', path, source, members: update }, EMBEDDER_FIELDS);
  if (source === 'openAi') checkOpenAi(path, update);
  for (const [part, own] of partsOf(update)) checkEmbedder(`${path}.${part}`, own);
}

/** The nested embedders of a composite one, each with its member. */
export const partsOf = (embedder: EmbedderUpdate): [string, EmbedderUpdate][] =>
  COMPOSITE_PARTS.filter((part) => embedder[part]).map((part) => [
    part,
    embedder[part] as EmbedderUpdate,
  ]);

/** Without a model in the update, the stored model is checked after the merge. */
function checkOpenAi(path: string, { model, dimensions }: EmbedderUpdate): void {
  if (typeof model !== 'string') return;
  if (!OPENAI_MODELS.includes(model))
    throw refuseEmbedder(
      `${path}.model`,
      `is ${preview(model)}, expected one of ${OPENAI_MODELS.join(', ')}`,
    );
  if (typeof dimensions !== 'number') return;
  const { dimensions: native = dimensions, isReducible = false } = openAiModel(model) ?? {};
  if (dimensions === native || (dimensions < native && isReducible)) return;
  const allowed = isReducible ? `at most ${native}` : `${native}`;
  throw refuseEmbedder(
    `${path}.dimensions`,
    `is ${dimensions}; the model \`${model}\` gives ${allowed}`,
  );
}
