/** Which failures of SlateDB end a reader. */
import { describe, expect, it } from 'vitest';
import { ReaderEnded, toReaderError } from '../../../../src/storage/database/slatedb-reader.ts';

const failure = (name: string, message: string) => Object.assign(new Error(message), { name });

describe('a failed read of a database that another process writes', () => {
  it('ends the reader if its checkpoint was deleted while the store was away', () => {
    const missing = failure('ErrorData', 'Data error: checkpoint missing');
    expect(toReaderError(missing)).toBeInstanceOf(ReaderEnded);
    expect(toReaderError(missing)).toMatchObject({ message: missing.message, cause: missing });
    expect(toReaderError(failure('ErrorClosed', 'Closed error'))).toBeInstanceOf(ReaderEnded);
  });

  it('passes if the store does not answer', () => {
    const away = failure('ErrorUnavailable', 'Unavailable error: object store error');
    expect(toReaderError(away)).toBe(away);
  });
});
