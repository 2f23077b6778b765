/** Checks rerankers of one request: number, URLs, templates, examples of requests. */
import { ApiError } from '../../core/errors.ts';
import { isHttpUrl } from '../../core/http-url.ts';
import { limits } from '../../core/limits.ts';
import { ShapeError } from '../../core/rest-shape.ts';
import { DocumentTemplate } from '../../embedding/templates/document-template.ts';
import { TemplateError } from '../../embedding/templates/liquid-engine.ts';
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
  if (entries.length > limits.rerankersPerIndexMax) {
    throw new ApiError(
      'invalid_settings_rerankers',
      `\`rerankers\` holds ${entries.length} rerankers; at most ${limits.rerankersPerIndexMax} are allowed.`,
    );
  }
  for (const [name, reranker] of entries) {
    if (reranker === null) continue;
    checkUrl(name, reranker['url']);
    checkTemplate(name, reranker['documentTemplate']);
    checkShape(name, reranker);
  }
}

function checkUrl(name: string, url: unknown): void {
  if (typeof url === 'string' && !isHttpUrl(url))
    throw refuseReranker(`${name}.url`, 'is not a URL that begins with `http://` or `https://`');
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
