/** Checks rerankers of one request: number, URLs, templates, examples of requests. */
import { ShapeError } from '../../core/rest-shape.ts';
import { DocumentTemplate } from '../../embedding/templates/document-template.ts';
import { TemplateError } from '../../embedding/templates/liquid-engine.ts';
import { checkProviderCount, checkProviderUrl } from '../../model/provider-check.ts';
import { RERANKER_TEXT_BYTES } from '../../model/reranker-settings.ts';
import { refuseReranker } from '../../model/reranker-update.ts';
import type { RerankerUpdate } from '../../model/schemas/reranker-schema.ts';
import { restShape } from '../../rerank/service-shape.ts';

/**
 * @param rerankers by name, as given in one request; null = removed
 * @throws ApiError `invalid_settings_rerankers`
 */
export function checkRerankers(rerankers: Readonly<Record<string, RerankerUpdate | null>>): void {
  const entries = Object.entries(rerankers);
  checkProviderCount('rerankers', entries.length, 'holds');
  for (const [name, reranker] of entries) {
    if (reranker === null) continue;
    checkProviderUrl('rerankers', name, reranker['url']);
    checkTemplate(name, reranker['documentTemplate']);
    checkShape(name, reranker);
  }
}

function checkTemplate(name: string, template: unknown): void {
  if (typeof template !== 'string') return;
  try {
    DocumentTemplate.parse(template, RERANKER_TEXT_BYTES);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw refuseReranker(`${name}.documentTemplate`, `does not parse: ${error.message}`);
  }
}

/** A request and its response are checked if both are given. */
function checkShape(name: string, { request, response }: RerankerUpdate): void {
  if ((request ?? null) === null || (response ?? null) === null) return;
  try {
    restShape(request, response);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw refuseReranker(name, `does not fit: ${error.message}`);
  }
}
