/**
 * Applies an update to a stored reranker: absent members stay, null resets, a new source starts from
 * its defaults.
 */
import type { ApiError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { DEFAULT_DOCUMENT_TEMPLATE } from './embedders/embedder-settings.ts';
import { checkProviderMembers, refuseProvider } from './provider-check.ts';
import { applyMembers, dropMovedSecrets } from './provider-secrets.ts';
import {
  RERANKER_DEFAULTS,
  RERANKER_FIELDS,
  RERANKER_TEXT_BYTES,
  RERANKER_TIMEOUT_MS,
  type RerankerSettings,
  type RerankerSource,
} from './reranker-settings.ts';

export const refuseReranker = (path: string, problem: string): ApiError =>
  refuseProvider('rerankers', path, problem);

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
    dropMovedSecrets({ path: `rerankers.${name}`, stored, update, next, warnings });
  }
  checkProviderMembers(
    { setting: 'rerankers', path: name, source, members: next },
    RERANKER_FIELDS,
  );
  return next as unknown as RerankerSettings;
}

const defaultsOf = (source: RerankerSource): Record<string, unknown> => ({
  ...RERANKER_DEFAULTS[source],
  documentTemplate: DEFAULT_DOCUMENT_TEMPLATE,
  documentTemplateMaxBytes: RERANKER_TEXT_BYTES,
  timeoutMs: RERANKER_TIMEOUT_MS,
});
