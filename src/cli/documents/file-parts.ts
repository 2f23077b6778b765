/** Parts of a file for commands: what cannot be cut is a failure of the command. */
import {
  type DocumentPart,
  DocumentTooLong,
  partsOfDocuments,
} from '../../model/document-parts.ts';
import { CommandFailure } from '../command-failure.ts';

export async function* partsOfFile(
  ...given: Parameters<typeof partsOfDocuments>
): AsyncGenerator<DocumentPart> {
  try {
    yield* partsOfDocuments(...given);
  } catch (error) {
    throw error instanceof DocumentTooLong ? new CommandFailure(error.message) : error;
  }
}
