/** Logic of the documents view that needs no browser. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  columnsOf,
  documentsAddressOf,
  documentsStateOf,
  pageRequestOf,
} from '../../../src/search-page/documents/documents-state.ts';
import {
  documentOfText,
  emptyLike,
  indentedJson,
  providedVectors,
  withVectors,
} from '../../../src/search-page/documents/json-text.ts';

describe('the text of a document', () => {
  it('is indented as JSON.stringify does, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentedJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keeps numbers and escapes as they are written', () => {
    const text = '{"a":[1.0,1e400,12345678901234567890],"b":"\\u0041 \\"}, \\\\"}';
    expect(indentedJson(text).replaceAll(/\n\s*/g, '').replaceAll('": ', '":')).toBe(text);
  });

  it('is read as a document with its key, or refused', () => {
    expect(documentOfText('{"id": 0}', 'id')).toEqual({ document: { id: 0 } });
    expect(documentOfText('{}', null)).toEqual({ document: {} });
    for (const text of ['{"id": null}', '{"id": ""}', '{}', '[]', 'null', '"x"', '{'])
      expect(documentOfText(text, 'id')).toHaveProperty('fault');
  });

  it('of a new document has the fields of another one, without values', () => {
    const like = { id: 7, name: 'x', tags: ['a'], at: { b: 1 }, isNew: true, none: null };
    const empty = { id: 0, name: '', tags: [], at: {}, isNew: false, none: '' };
    expect(JSON.parse(emptyLike(like))).toEqual(empty);
  });

  it('keeps provided embeddings, and neither generated nor edited ones', () => {
    const own = { embeddings: [[0.5]], regenerate: false };
    const made = { embeddings: [[1]], regenerate: true };
    const vectors = providedVectors(JSON.stringify({ id: 1, _vectors: { own, made } }));
    expect(JSON.parse(vectors ?? '')).toEqual({ own });
    expect(JSON.parse(withVectors('{"id": 2} ', vectors))).toEqual({ id: 2, _vectors: { own } });
    expect(JSON.parse(withVectors('{}', vectors))).toEqual({ _vectors: { own } });
    expect(withVectors('{"_vectors": null}', vectors)).toBe('{"_vectors": null}');
    expect(providedVectors('{"_vectors":{"made":{"regenerate":true}}}')).toBeNull();
    expect(withVectors('{}', null)).toBe('{}');
  });
});

describe('the documents view', () => {
  it('round-trips its state through the address, which omits defaults', () => {
    const state = { filter: 'a = 1', sort: 'a:asc', page: 3, id: 'x' };
    expect(documentsStateOf(documentsAddressOf(state))).toEqual(state);
    expect(Object.values(documentsAddressOf(documentsStateOf({}))).join('')).toBe('');
    for (const page of ['0', '-2', 'x']) expect(documentsStateOf({ page }).page).toBe(1);
  });

  it('requests the page, with filter and order only if there are any', () => {
    expect(pageRequestOf(documentsStateOf({ page: '3' }))).toEqual({ offset: 40, limit: 20 });
    const state = documentsStateOf({ filter: 'a = 1', sort: 'a:asc' });
    expect(pageRequestOf(state)).toMatchObject({ filter: 'a = 1', sort: ['a:asc'] });
  });

  it('has the key and the title as its first columns', () => {
    const documents = [
      { year: 1, id: 1 },
      { title: 'x', id: 2, _geo: {} },
    ];
    expect(columnsOf(documents, 'id', 9)).toEqual(['id', 'title', 'year']);
    expect(columnsOf(documents, null, 2)).toEqual(['title', 'year']);
  });
});
