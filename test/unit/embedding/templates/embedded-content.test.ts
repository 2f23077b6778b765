/** Embedding inputs of a document and of a search. */
import { describe, expect, it } from 'vitest';
import {
  documentContent,
  queryContent,
} from '../../../../src/embedding/templates/embedded-content.ts';
import type { EmbedderSettings } from '../../../../src/model/embedders/embedder-settings.ts';

const all = (): boolean => true;
const rest: EmbedderSettings = { source: 'rest', documentTemplate: '{{doc.title}}' };
const fragments = {
  text: { value: '{{doc.title}}' },
  image: { value: { url: '{{doc.poster}}' } },
};
const search = { words: { value: { t: '{{q}}' } }, picture: { value: { i: '{{media.image}}' } } };

describe('of a document', () => {
  it('is the text of its template, of a composite embedder the one for indexing', () => {
    const one = [{ fragment: null, input: 'Alien' }];
    expect(documentContent(rest).inputsOf({ title: 'Alien' }, all)).toEqual(one);
    const composite = {
      source: 'composite',
      indexingEmbedder: rest,
      searchEmbedder: rest,
    } as const;
    expect(documentContent(composite).inputsOf({ title: 'Alien' }, all)).toEqual(one);
  });

  it('are the fragments that apply, instead of the template', () => {
    const content = documentContent({ ...rest, indexingFragments: fragments });
    expect(content.inputsOf({ title: 'Alien', poster: 'u' }, all)).toEqual([
      { fragment: 'text', input: 'Alien' },
      { fragment: 'image', input: { url: 'u' } },
    ]);
    expect(content.inputsOf({ poster: 'u' }, all).map(({ fragment }) => fragment)).toEqual([
      'image',
    ]);
    expect(content.inputsOf({}, all)).toEqual([]);
  });
});

describe('of a search', () => {
  it('is its text, and nothing else where there are no search fragments', () => {
    const toInput = queryContent(rest);
    expect(toInput({ q: ' tea ', media: null })).toBe(' tea ');
    expect(() => toInput({ q: 'tea', media: {} })).toThrow('only text');
    expect(() => toInput({ q: null, media: null })).toThrow('no text');
  });

  it('is the one fragment that applies; none and several are refused by name', () => {
    const toInput = queryContent({ ...rest, searchFragments: search });
    expect(toInput({ q: 'tea', media: null })).toEqual({ t: 'tea' });
    expect(toInput({ q: null, media: { image: 'i' } })).toEqual({ i: 'i' });
    expect(() => toInput({ q: null, media: null })).toThrow(
      'None of the search fragments `words`, `picture`',
    );
    expect(() => toInput({ q: 'tea', media: { image: 'i' } })).toThrow('`words`, `picture` apply');
  });
});
