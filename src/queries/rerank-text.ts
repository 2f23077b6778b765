/** Text of a document for a reranker. */
import { DocumentTemplate, isSearchableIn } from '../embedding/templates/document-template.ts';
import { TemplateError } from '../embedding/templates/liquid-engine.ts';
import type { Rerank } from '../model/search.ts';
import type { TextOf } from '../search/answer/rerank-input.ts';
import type { IndexSnapshot } from '../search/snapshot/index-snapshot.ts';

export function rerankText(
  { manifest: { settings } }: IndexSnapshot,
  { documentTemplate, documentTemplateMaxBytes }: Rerank,
): TextOf {
  const template = DocumentTemplate.parse(documentTemplate, documentTemplateMaxBytes);
  const isSearchable = isSearchableIn(settings.searchableAttributes);
  return (document) => {
    try {
      return template.render(document, isSearchable);
    } catch (error) {
      if (error instanceof TemplateError) return null;
      throw error;
    }
  };
}
