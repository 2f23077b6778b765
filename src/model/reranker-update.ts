/**
 * Applies an update to a stored reranker: absent members stay, null resets, a new source starts from
 * its defaults.
 */
import { ApiError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { DEFAULT_DOCUMENT_TEMPLATE } from './embedders/embedder-settings.ts';
import { modelNameProblem } from './model-name.ts';
import { applyMembers, dropMovedSecrets } from './provider-secrets.ts';
import {
  RERANKER_DEFAULTS,
  RERANKER_FIELDS,
  RERANKER_TEXT_BYTES,
  RERANKER_TIMEOUT_MS,
  type RerankerField,
  type RerankerSettings,
  type RerankerSource,
} from './reranker-settings.ts';

/** @param path of the member, for example `default.url` */
export const refuseReranker = (path: string, problem: string): ApiError =>
  new ApiError('invalid_settings_rerankers', `\`rerankers.${path}\` ${problem}.`);

/**
 * @param update its members were checked one by one; their combination with the stored ones is
 * checked here
 * @param warnings receives one sentence per dropped secret
 * @throws ApiError `invalid_settings_rerankers`
 */
export function updateReranker(
  name: string,
  stored: RerankerSettings | undefined,
  update: Json,
  warnings: string[],
): RerankerSettings {
  const source = (update['source'] ?? stored?.source) as RerankerSource | undefined;
  if (source === undefined) throw refuseReranker(`${name}.source`, 'is missing');
  const defaults = defaultsOf(source);
  const isSame = stored?.source === source;
  const next: Record<string, unknown> = isSame ? { ...stored } : { source, ...defaults };
  applyMembers(next, update, defaults);
  if (isSame) {
    // A revision is one of its model.
    const hasRevision = (update['revision'] ?? null) !== null;
    if (next['model'] !== stored.model && !hasRevision) delete next['revision'];
    dropMovedSecrets(`rerankers.${name}`, stored, next, update, warnings);
  }
  checkMembers(name, next, source);
  return next as unknown as RerankerSettings;
}

const defaultsOf = (source: RerankerSource): Record<string, unknown> => ({
  ...RERANKER_DEFAULTS[source],
  documentTemplate: DEFAULT_DOCUMENT_TEMPLATE,
  documentTemplateMaxBytes: RERANKER_TEXT_BYTES,
  timeoutMs: RERANKER_TIMEOUT_MS,
});

/** @throws ApiError for a member that does not go with the source, or that is missing */
function checkMembers(name: string, reranker: Json, source: RerankerSource): void {
  for (const [member, { sources, mandatoryFor }] of Object.entries(RERANKER_FIELDS)) {
    const isGiven = reranker[member as RerankerField] !== undefined;
    if (isGiven && !sources.includes(source))
      throw refuseReranker(
        `${name}.${member}`,
        `does not go with the source \`${source}\`, only with ${sources.join(', ')}`,
      );
    if (!isGiven && mandatoryFor?.includes(source))
      throw refuseReranker(`${name}.${member}`, `is missing; the source \`${source}\` needs it`);
    const problem = source === 'huggingFace' ? modelNameProblem(member, reranker[member]) : null;
    if (problem !== null) throw refuseReranker(`${name}.${member}`, problem);
  }
}
