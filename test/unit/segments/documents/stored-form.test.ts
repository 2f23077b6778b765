/** What of a document is stored when vectors have files of their own. */
import { describe, expect, it } from 'vitest';
import { JsonTape } from '../../../../src/engine/json/json-tape.ts';
import { DEFAULT_SETTINGS } from '../../../../src/model/settings.ts';
import { DocumentEntries } from '../../../../src/segments/contract/document-entries.ts';
import { StoredForm } from '../../../../src/segments/documents/stored-form.ts';

const form = new StoredForm({
  ...DEFAULT_SETTINGS,
  embedders: {
    own: { source: 'userProvided', dimensions: 2 },
    made: { source: 'rest', dimensions: 2 },
  },
});

function stored(json: string): string {
  const bytes = new TextEncoder().encode(json);
  const tape = new JsonTape();
  tape.scan(bytes, 0, bytes.length);
  return new TextDecoder().decode(form.bytesOf(tape, new DocumentEntries().begin(tape)));
}

describe('StoredForm', () => {
  it('leaves out vectors that a file holds, and the member that is empty then', () => {
    expect(stored('{"id":1,"_vectors":{"own":[1,2]},"t":"x"}')).toBe('{"id":1,"t":"x"}');
    expect(stored('{"_vectors":{"made":{"embeddings":[1,2],"regenerate":true}},"id":1}')).toBe(
      '{"id":1}',
    );
  });

  it('keeps what no file holds, digit for digit', () => {
    const unknown = '{"id":1,"_vectors":{"other":[1.0,1e2]}}';
    expect(stored(unknown)).toBe(unknown);
    expect(stored('{"id":1,"_vectors":{"own":[1,2],"other":[1.0]}}')).toBe(
      '{"id":1,"_vectors":{"other":[1.0]}}',
    );
  });

  it('remembers which documents want no vector, and which have their own', () => {
    const json = '{"id":1,"_vectors":{"own":null,"made":[1,2]}}';
    expect(stored(json)).toBe(json);
  });

  it('keeps the flag of user-provided vectors', () => {
    expect(
      stored('{"id":1,"_vectors":{"own":{"embeddings":[1,2],"regenerate":true},"other":[1]}}'),
    ).toBe('{"id":1,"_vectors":{"own":{"regenerate":true},"other":[1]}}');
  });
});
