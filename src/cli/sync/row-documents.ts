/** Rows of a source as documents to compare an index with. */
import { isObject, parseJson } from '../../core/json.ts';
import { CommandFailure } from '../command-failure.ts';
import type { SourceDocument } from '../documents/source-documents.ts';
import { documentIdOf, type SourceRow } from './change-source.ts';

export async function* rowDocuments(
  rows: AsyncIterable<SourceRow>,
): AsyncGenerator<SourceDocument> {
  for await (const { key, document: text } of rows) {
    const document = parseJson(text);
    if (!isObject(document)) throw new CommandFailure(`not a JSON object: ${text.slice(0, 80)}`);
    // Numbers beyond 2⁵³ keep their digits in the key only.
    yield { id: documentIdOf(key), document, part: 0 };
  }
}
