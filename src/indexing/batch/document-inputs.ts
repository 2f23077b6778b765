/** Inputs of documents for one embedder, and their errors. */

import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { isSearchableIn } from '../../embedding/templates/document-template.ts';
import { type DocumentInput, documentContent } from '../../embedding/templates/embedded-content.ts';
import { TemplateError } from '../../embedding/templates/liquid-engine.ts';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import type { Settings } from '../../model/settings.ts';
import type { RequestBuilder } from './embedding-request.ts';

export type InputsOf = (document: Json) => readonly DocumentInput[];

/** @param name of an embedder of the settings; one that is user-provided has the default template */
export function documentInputs(settings: Settings, name: string): InputsOf {
  const embedder = settings.embedders[name];
  if (embedder === undefined) throw new Error(`the index has no embedder \`${name}\``);
  const content = documentContent(embedder);
  const isSearchable = isSearchableIn(settings.searchableAttributes);
  return (document) => content.inputsOf(document, isSearchable);
}

/**
 * Names of the fragments that apply to a document, in settings order; null where texts are
 * embedded.
 * @param name of an embedder of the settings that makes vectors
 */
export function appliedFragments(
  settings: Settings,
  name: string,
): ((document: Json) => readonly string[]) | null {
  const { indexingEmbedder, ...own } = settings.embedders[name] as EmbedderSettings;
  const { indexingFragments = {} } = indexingEmbedder ?? own;
  if (Object.keys(indexingFragments).length === 0) return null;
  const inputsOf = documentInputs(settings, name);
  return (document) => {
    const inputs = rendered(inputsOf, document);
    return inputs instanceof TemplateError ? [] : inputs.flatMap(({ fragment }) => fragment ?? []);
  };
}

/** The inputs of a document's existing vectors. */
interface EmbeddedBefore {
  readonly inputsOf: InputsOf;
  readonly document: Json;
  readonly vectorCount: number;
}

/** Requests the vectors of a document, unless its existing vectors have the same inputs. */
export function requestVectors(
  request: RequestBuilder,
  { docId, id, document }: { docId: number; id: string; document: Json },
  inputsOf: InputsOf,
  before: EmbeddedBefore | null,
): void {
  const inputs = rendered(inputsOf, document);
  if (inputs instanceof TemplateError) request.addUnrendered(docId, id, inputs.message);
  else if (!hasVectorsOf(inputs, before)) request.add(docId, id, inputs);
}

/**
 * After an embedder failure, documents may lack vectors for their inputs. The same input under
 * another fragment counts as new: the store has its vector.
 */
function hasVectorsOf(inputs: readonly DocumentInput[], before: EmbeddedBefore | null): boolean {
  if (before === null || (inputs.length > 0 && before.vectorCount === 0)) return false;
  return isDeepStrictEqual(inputs, rendered(before.inputsOf, before.document));
}

/** True if neither document fails to render and both have the same inputs. */
export function hasSameInputs(inputsOf: InputsOf, before: Json, document: Json): boolean {
  const inputs = rendered(inputsOf, document);
  return (
    !(inputs instanceof TemplateError) && isDeepStrictEqual(inputs, rendered(inputsOf, before))
  );
}

function rendered(inputsOf: InputsOf, document: Json): readonly DocumentInput[] | TemplateError {
  try {
    return inputsOf(document);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}

/** For a document without vectors of an embedder that makes none. */
export const missingVectors = (documentId: string, embedder: string): ApiError =>
  new ApiError(
    'vector_embedding_error',
    `Document \`${documentId}\` has no \`_vectors.${embedder}\`, which it needs for the embedder \`${embedder}\`, whose source is \`userProvided\`; give a vector, or null for none.`,
    { document: documentId },
  );
