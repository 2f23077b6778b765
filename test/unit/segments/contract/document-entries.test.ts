/** What documents say of embedders: the forms of `_vectors`, and those that are refused. */
import { describe, expect, it } from 'vitest';
import { JsonTape } from '../../../../src/engine/json/json-tape.ts';
import { checkEntries } from '../../../../src/segments/contract/check-entries.ts';
import { DocumentEntries } from '../../../../src/segments/contract/document-entries.ts';

const embedder = { name: 'e', dimensions: 2 };

const tapeOf = (document: unknown): JsonTape => tapeOfText(JSON.stringify(document));

function tapeOfText(text: string): JsonTape {
  const bytes = new TextEncoder().encode(text);
  const tape = new JsonTape();
  tape.scan(bytes, 0, bytes.length);
  return tape;
}

const readOf = (document: unknown) => new DocumentEntries().begin(tapeOf(document)).get(embedder);
const read = (entry: unknown) => readOf({ _vectors: { e: entry } });
const check = (vectors: unknown) => () =>
  checkEntries(tapeOf({ id: 7, _vectors: vectors }), [embedder], () => '7');

describe('DocumentEntries', () => {
  it.each([
    ['one vector', [1, 2], [[1, 2]], false],
    [
      'several vectors',
      [
        [1, 2],
        [3, 4],
      ],
      [
        [1, 2],
        [3, 4],
      ],
      false,
    ],
    ['an explicit vector', { embeddings: [1, 2], regenerate: true }, [[1, 2]], true],
    ['explicit vectors', { embeddings: [[1, 2]], regenerate: false }, [[1, 2]], false],
    ['an explicit nothing', { embeddings: null, regenerate: false }, [], false],
    ['nothing', null, [], false],
    ['an empty list', [], [], false],
  ] as const)('takes %s', (_, entry, vectors, regenerate) => {
    const found = read(entry);
    expect(found?.vectors.map((vector) => [...vector])).toEqual(vectors);
    expect(found?.regenerate).toBe(regenerate);
  });

  it.each([
    [{ regenerate: true }, true],
    [{ embeddings: null, regenerate: true }, true],
    [{ embeddings: null, regenerate: false }, true],
    [{ embeddings: [], regenerate: true }, false],
    [{ embeddings: [], regenerate: false }, false],
    [{ embeddings: [1, 2], regenerate: true }, false],
    [null, false],
    [[], false],
  ])(
    'leaves the vectors to the embedder or the document before only without a list: %j',
    (entry, isOpen) => {
      expect(read(entry)?.isOpen).toBe(isOpen);
    },
  );

  it('distinguishes a document without an entry from one with an empty entry', () => {
    expect(readOf({ _vectors: { other: [1, 2] } })).toBeNull();
    expect(readOf({ id: 1 })).toBeNull();
  });

  it.each([
    ['_vectors', '{"_vectors":5,"_vectors":{"e":[1,2]}}', false],
    ['an entry', '{"_vectors":{"e":"x","e":[1,2]}}', false],
    [
      'a member of an entry',
      '{"_vectors":{"e":{"embeddings":[3],"regenerate":1,"embeddings":[1,2],"regenerate":true}}}',
      true,
    ],
  ])('takes the last of %s that is there twice', (_, text, regenerate) => {
    const tape = tapeOfText(text);
    expect(() => checkEntries(tape, [embedder], () => '7')).not.toThrow();
    const found = new DocumentEntries().begin(tape).get(embedder);
    expect(found?.vectors.map((vector) => [...vector])).toEqual([[1, 2]]);
    expect(found?.regenerate).toBe(regenerate);
  });

  it('keeps the first 256 vectors', () => {
    expect(read(Array.from({ length: 257 }, () => [1, 2]))?.vectors).toHaveLength(256);
  });
});

describe('checkEntries', () => {
  it.each([
    ['a number', { e: 1 }, '`_vectors.e` is `1`'],
    ['a text', { other: 'x' }, '`_vectors.other` is `"x"`'],
    ['an object without regenerate', { e: { embeddings: [1] } }, 'is `{"embeddings":[1]}`'],
    [
      'an object with more',
      { e: { regenerate: true, more: 1 } },
      'is `{"regenerate":true,"more":1}`',
    ],
    ['a list of texts', { e: ['x', 'y'] }, '`_vectors.e` holds `"x"`'],
    ['a number beyond 32-bit floats', { e: [[1, 1e300]] }, 'holds `1e+300`'],
    ['a mixed list', { e: [[1, 2], 3] }, 'holds `3`'],
    ['anything but an object', [1, 2], '`_vectors` is `[1,2]`, expected an object'],
    ['what is long', { e: 'é'.repeat(99) }, `is \`"${'é'.repeat(49)}…\``],
  ])('refuses %s, and shows it', (_, vectors, message) => {
    expect(check(vectors)).toThrow(
      expect.objectContaining({
        code: 'invalid_vectors_type',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('refuses vectors of other dimensions, with the document and both numbers', () => {
    expect(check({ e: [1, 2, 3] })).toThrow(
      expect.objectContaining({
        code: 'invalid_vector_dimensions',
        message: expect.stringMatching(/`7`.*`_vectors\.e`.* 3 dimensions, expected 2/),
      }),
    );
    expect(check({ e: [[1, 2], [1]] })).toThrow(
      expect.objectContaining({ code: 'invalid_vector_dimensions' }),
    );
  });

  it('lets lists of unknown embedders pass unread', () => {
    expect(check({ other: [1, 'x', 3], e: [1, 2] })).not.toThrow();
    expect(check({ e: [] })).not.toThrow();
  });
});
