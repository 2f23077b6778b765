/** What of documents is embedded by one embedder, and what may be wrong with it. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../core/errors.ts';
import type { EmbeddingInput } from '../../embedding/embedder.ts';
import { isSearchableIn, type JsonObject } from '../../embedding/templates/document-template.ts';
import { documentContent } from '../../embedding/templates/embedded-content.ts';
import { TemplateError } from '../../embedding/templates/liquid-engine.ts';
import type { Settings } from '../../model/settings.ts';

export type InputsOf = (document: JsonObject) => readonly EmbeddingInput[];

/** @param name of an embedder of the settings that makes vectors */
export function documentInputs(settings: Settings, name: string): InputsOf {
  const embedder = settings.embedders[name];
  if (embedder === undefined) throw new Error(`the index has no embedder \`${name}\``);
  const content = documentContent(embedder);
  const isSearchable = isSearchableIn(settings.searchableAttributes);
  return (document) => content.inputsOf(document, isSearchable).map(({ input }) => input);
}

export const sameInputs = (
  one: readonly EmbeddingInput[],
  other: readonly EmbeddingInput[],
): boolean => isDeepStrictEqual(one, other);

/** @throws ApiError `vector_embedding_error` where a template fails on the document */
export function renderedFor<Rendered>(
  documentId: string,
  embedder: string,
  render: () => Rendered,
): Rendered {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new ApiError(
      'vector_embedding_error',
      `Document \`${documentId}\`: a template of the embedder \`${embedder}\` fails on it: ${error.message}.`,
    );
  }
}

/** For a document without vectors of an embedder that makes none. */
export const missingVectors = (documentId: string, embedder: string): ApiError =>
  new ApiError(
    'vector_embedding_error',
    `Document \`${documentId}\` has no \`_vectors.${embedder}\`, which it needs for the embedder \`${embedder}\`, whose source is \`userProvided\`; give a vector, or null for none.`,
  );
