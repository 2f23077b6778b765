/** Checks which members go with the source of an embedder, and which it needs. */
import { ApiError } from '../../core/errors.ts';
import { preview } from '../../core/preview.ts';
import { modelNameProblem } from '../model-name.ts';
import {
  COMPOSITE_PARTS,
  EMBEDDER_FIELDS,
  type EmbedderField,
  type EmbedderSource,
} from './embedder-settings.ts';
import { OPENAI_MODELS, openAiModel } from './openai-models.ts';

/** An embedder in a request, as its schema allows: absent members stay unchanged, null resets one. */
export type EmbedderUpdate = Readonly<Record<string, unknown>>;

/** @param path of the member, for example `default.url` */
export const refuseEmbedder = (path: string, problem: string): ApiError =>
  new ApiError('invalid_settings_embedders', `\`embedders.${path}\` ${problem}.`);

/**
 * @param path name of the embedder, followed by the place of a nested embedder
 * @param source of the stored embedder, if the update has none; null = unknown
 * @throws ApiError `invalid_settings_embedders`
 */
export function checkEmbedder(
  path: string,
  update: EmbedderUpdate,
  source: EmbedderSource | null = null,
): void {
  const own = (update['source'] ?? source) as EmbedderSource | null;
  for (const [member, value] of Object.entries(update))
    if (member !== 'source') checkMember(`${path}.${member}`, member as EmbedderField, value, own);
  if (own !== null) checkMandatory(path, update, own);
  if (own === 'openAi') checkOpenAiDimensions(path, update);
}

function checkMember(
  path: string,
  member: EmbedderField,
  value: unknown,
  source: EmbedderSource | null,
): void {
  if (value === null) return;
  const { sources } = EMBEDDER_FIELDS[member];
  if (source !== null && !sources.includes(source))
    throw refuseEmbedder(
      path,
      `does not go with the source \`${source}\`, only with ${sources.join(', ')}`,
    );
  if (member === 'model' && source === 'openAi' && !OPENAI_MODELS.includes(String(value)))
    throw refuseEmbedder(path, `is ${preview(value)}, expected one of ${OPENAI_MODELS.join(', ')}`);
  const problem = source === 'huggingFace' ? modelNameProblem(member, value) : null;
  if (problem !== null) throw refuseEmbedder(path, problem);
  if (COMPOSITE_PARTS.some((part) => part === member)) checkEmbedder(path, value as EmbedderUpdate);
}

function checkMandatory(path: string, update: EmbedderUpdate, source: EmbedderSource): void {
  for (const [member, { mandatoryFor }] of Object.entries(EMBEDDER_FIELDS)) {
    if (mandatoryFor?.includes(source) && (update[member] ?? null) === null)
      throw refuseEmbedder(`${path}.${member}`, `is missing; the source \`${source}\` needs it`);
  }
}

/** Without a model in the update, the stored model is checked after the merge. */
function checkOpenAiDimensions(path: string, { model, dimensions }: EmbedderUpdate): void {
  if (typeof model !== 'string' || typeof dimensions !== 'number') return;
  const { dimensions: native = dimensions, isReducible = false } = openAiModel(model) ?? {};
  if (dimensions === native || (dimensions < native && isReducible)) return;
  const allowed = isReducible ? `at most ${native}` : `${native}`;
  throw refuseEmbedder(
    `${path}.dimensions`,
    `is ${dimensions}; the model \`${model}\` gives ${allowed}`,
  );
}
