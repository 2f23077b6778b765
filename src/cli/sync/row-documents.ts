/** Rows of a source as documents to compare an index with. */
import { isObject } from '../../core/json.ts';
import { parseDocument } from '../../model/document-fingerprint.ts';
import { CommandFailure } from '../command-failure.ts';
import type { SourceDocument } from '../documents/source-documents.ts';
import { documentIdOf, type SourceRow } from './change-source.ts';

export async function* rowDocuments(
  rows: AsyncIterable<SourceRow>,
): AsyncGenerator<SourceDocument> {
  for await (const { key, document: text } of rows) {
    const document = parseDocument(text);
    if (!isObject(document)) throw new CommandFailure(`not a JSON object: ${text.slice(0, 80)}`);
    yield { id: documentIdOf(key), document, part: 0 };
  }
}
