/** Effects of a settings change on existing vectors. */
import { describe, expect, it } from 'vitest';
import { remakingOf } from '../../../src/embedding/embedder-change.ts';
import { contentKey, fingerprintOf } from '../../../src/embedding/fingerprint.ts';
import type { EmbedderSettings } from '../../../src/model/embedders/embedder-settings.ts';

const rest: EmbedderSettings = {
  source: 'rest',
  url: 'http://x.test',
  apiKey: 'k',
  request: '{{text}}',
  response: '{{embedding}}',
  documentTemplate: 't',
};
const userProvided: EmbedderSettings = { source: 'userProvided', dimensions: 2 };
const composite: EmbedderSettings = {
  source: 'composite',
  indexingEmbedder: rest,
  searchEmbedder: rest,
};

const changeOf = (before: EmbedderSettings | undefined, after: EmbedderSettings, fields = false) =>
  remakingOf(before, after, fields) ?? 'none';

describe('a change of an embedder', () => {
  it.each<[string, EmbedderSettings | undefined, EmbedderSettings]>([
    ['none', rest, rest],
    ['embed', undefined, rest],
    ['embed', undefined, { ...rest, binaryQuantized: true }],
    ['none', rest, { ...rest, binaryQuantized: true }],
    ['none', userProvided, { ...userProvided, binaryQuantized: true }],
    ['none', { ...rest, binaryQuantized: true }, { ...rest, binaryQuantized: true }],
    ['none', rest, { ...rest, apiKey: 'other' }],
    ['none', rest, { ...rest, headers: { a: 'b' } }],
    ['none', rest, { ...rest, distribution: { mean: 0.5, sigma: 0.1 } }],
    ['none', rest, { ...rest, searchFragments: { a: { value: 'x' } } }],
    ['render', rest, { ...rest, documentTemplate: 'other' }],
    ['render', rest, { ...rest, documentTemplateMaxBytes: 9 }],
    ['render', rest, { ...rest, indexingFragments: { a: { value: 'x' } } }],
    ['render', rest, { ...rest, documentTemplate: 'other', binaryQuantized: true }],
    ['embed', rest, { ...rest, url: 'http://y.test' }],
    ['embed', rest, { ...rest, dimensions: 3 }],
    ['embed', rest, { ...rest, request: { a: '{{text}}' } }],
    ['embed', rest, { source: 'openAi', model: 'm' }],
    ['embed', { source: 'openAi', model: 'm' }, { source: 'openAi', model: 'n' }],
    ['embed', userProvided, { ...userProvided, dimensions: 3 }],
    ['none', composite, { ...composite, searchEmbedder: { ...rest, url: 'http://y.test' } }],
    ['embed', composite, { ...composite, indexingEmbedder: { ...rest, url: 'http://y.test' } }],
    ['render', composite, { ...composite, indexingEmbedder: { ...rest, documentTemplate: 'o' } }],
    ['none', rest, composite],
  ])('asks for: %s (%j → %j)', (kind, before, after) => {
    expect(changeOf(before, after)).toBe(kind);
  });

  it('of searchable fields asks templates again, and neither fragments nor users', () => {
    const fragments = { ...rest, indexingFragments: { a: { value: 'x' } } };
    expect(changeOf(rest, rest, true)).toBe('render');
    expect(changeOf(fragments, fragments, true)).toBe('none');
    expect(changeOf(userProvided, userProvided, true)).toBe('none');
  });
});

describe('the address of a vector', () => {
  it('tells embedders and inputs apart, texts from JSON too', () => {
    const other = { ...rest, url: 'http://y.test' };
    const keys = [rest, other].flatMap((settings) =>
      ['a', 'b', ['a'], '["a"]', { a: 1 }].map((input) =>
        contentKey(fingerprintOf(settings), input),
      ),
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('is the same whatever the key, the template and the use of the vectors', () => {
    const changed = { ...rest, apiKey: 'x', documentTemplate: 'x', binaryQuantized: true };
    expect(fingerprintOf(changed)).toBe(fingerprintOf(rest));
  });
});
