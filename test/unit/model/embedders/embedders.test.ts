/** Embedder settings: what goes with which source, merging of updates, secrets in answers. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/core/errors.ts';
import { isSecretHeader } from '../../../../src/core/mask-secret.ts';
import { validate } from '../../../../src/http/validator.ts';
import {
  checkEmbedder,
  type EmbedderUpdate,
} from '../../../../src/model/embedders/embedder-check.ts';
import {
  EMBEDDER_FIELDS,
  EMBEDDER_SOURCES,
  type EmbedderField,
  type EmbedderSource,
} from '../../../../src/model/embedders/embedder-settings.ts';
import { updateEmbedder } from '../../../../src/model/embedders/embedder-update.ts';
import { maskedProviders, shownEmbedders } from '../../../../src/model/masked-providers.ts';
import { SettingsPatchBody } from '../../../../src/model/schemas/settings-schema.ts';

/** As a request is checked. */
const check = (update: EmbedderUpdate): void => {
  validate(SettingsPatchBody, { embedders: { a: update } });
  checkEmbedder('a', update);
};

const refusal = (run: () => unknown): string | null => {
  try {
    run();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'invalid_settings_embedders') throw error;
    return error.message;
  }
};

const nested = { source: 'ollama', model: 'm' };
/** A good value of each member. */
const good: Readonly<Record<EmbedderField, unknown>> = {
  model: 'text-embedding-3-large',
  revision: 'r',
  pooling: 'forceMean',
  apiKey: 'k',
  dimensions: 2,
  documentTemplate: 't',
  documentTemplateMaxBytes: 1,
  url: 'http://x.test',
  request: ['{{text}}'],
  response: ['{{embedding}}'],
  headers: { a: 'b' },
  indexingFragments: { a: { value: 'x' } },
  searchFragments: { a: { value: 'x' }, b: null },
  searchEmbedder: nested,
  indexingEmbedder: nested,
  distribution: { mean: 0.5, sigma: 0.1 },
  binaryQuantized: false,
};
/** The least that an embedder of the source needs. */
const least: Readonly<Record<EmbedderSource, EmbedderUpdate>> = {
  openAi: { source: 'openAi' },
  huggingFace: { source: 'huggingFace' },
  ollama: { source: 'ollama', model: 'm' },
  userProvided: { source: 'userProvided', dimensions: 2 },
  rest: { source: 'rest', url: 'u', request: '{{text}}', response: '{{embedding}}' },
  composite: { source: 'composite', searchEmbedder: nested, indexingEmbedder: nested },
};

/** Fields by source as the specification's table has them. */
const ALLOWED: Readonly<Record<EmbedderSource, string>> = {
  openAi:
    'model apiKey dimensions documentTemplate documentTemplateMaxBytes url distribution binaryQuantized',
  huggingFace:
    'model revision pooling documentTemplate documentTemplateMaxBytes distribution binaryQuantized',
  ollama:
    'model apiKey dimensions documentTemplate documentTemplateMaxBytes url distribution binaryQuantized',
  userProvided: 'dimensions distribution binaryQuantized',
  rest: 'apiKey dimensions documentTemplate documentTemplateMaxBytes url request response headers indexingFragments searchFragments distribution binaryQuantized',
  composite: 'searchEmbedder indexingEmbedder distribution binaryQuantized',
};

describe('an embedder of a request', () => {
  it.each(EMBEDDER_SOURCES)(
    'of the source %s takes its members and refuses all others',
    (source) => {
      const taken = Object.entries(good).filter(
        ([member, value]) => refusal(() => check({ ...least[source], [member]: value })) === null,
      );
      expect(taken.map(([member]) => member).join(' ')).toBe(ALLOWED[source]);
    },
  );

  it.each(
    EMBEDDER_SOURCES.flatMap((source) =>
      Object.keys(least[source]).flatMap((member) =>
        member === 'source' ? [] : [{ source, member }],
      ),
    ),
  )('of the source $source needs $member', ({ source, member }) => {
    const { [member]: _, ...without } = least[source];
    expect(refusal(() => check(without))).toMatch(`\`embedders.a.${member}\` is missing`);
    expect(refusal(() => check({ ...least[source], [member]: null }))).not.toBeNull();
  });

  it.each([
    ['model', 1],
    ['dimensions', 0],
    ['dimensions', 1.5],
    ['dimensions', 65_537],
    ['documentTemplateMaxBytes', 0],
    ['pooling', 'mean'],
    ['headers', { a: 1 }],
    ['headers', []],
    ['indexingFragments', { a: 'x' }],
    ['indexingFragments', { a: { value: 1, more: 2 } }],
    ['indexingFragments', Object.fromEntries(Array.from({ length: 257 }, (_, i) => [i, null]))],
    ['searchFragments', { a: {} }],
    ['searchEmbedder', 'x'],
    ['distribution', { mean: 1 }],
    ['distribution', { mean: 1, sigma: 0 }],
    ['distribution', { mean: 1, sigma: 1, more: 1 }],
    ['binaryQuantized', 1],
    ['nope', 1],
    ['__proto__', 1],
    ['source', 'nope'],
  ])('with the member %s = %j is refused whatever its source', (member, value) => {
    const update = JSON.parse(
      `{${JSON.stringify(member)}: ${JSON.stringify(value)}}`,
    ) as EmbedderUpdate;
    expect(refusal(() => check(update))).toMatch(new RegExp(`^\`embedders\\.a\\.${member}\\b`));
  });

  it('of OpenAI has no more dimensions than its model gives, and fewer only where it can', () => {
    const asked = (model: string, dimensions: number) =>
      refusal(() => check({ source: 'openAi', model, dimensions }));
    expect(asked('text-embedding-3-small', 1536)).toBeNull();
    expect(asked('text-embedding-3-large', 3)).toBeNull();
    expect(asked('text-embedding-ada-002', 1536)).toBeNull();
    expect(asked('text-embedding-3-small', 1537)).toBe(
      '`embedders.a.dimensions` is 1537; the model `text-embedding-3-small` gives at most 1536.',
    );
    expect(asked('text-embedding-ada-002', 10)).toBe(
      '`embedders.a.dimensions` is 10; the model `text-embedding-ada-002` gives 1536.',
    );
  });

  it('that is composite takes of its two what belongs to their place', () => {
    const composite = (search: object, indexing: object) => () =>
      check({
        source: 'composite',
        searchEmbedder: search,
        indexingEmbedder: indexing,
      });
    const template = { ...nested, documentTemplate: 't', documentTemplateMaxBytes: 3 };
    const rest = { ...least.rest };
    expect(refusal(composite(nested, template))).toBeNull();
    expect(
      refusal(composite({ ...rest, searchFragments: {} }, { ...rest, indexingFragments: {} })),
    ).toBeNull();
    const refused: [object, object][] = [
      [template, nested],
      [{ ...rest, indexingFragments: {} }, nested],
      [nested, { ...rest, searchFragments: {} }],
      [{ ...nested, binaryQuantized: true }, nested],
      [nested, { ...nested, distribution: good.distribution }],
      [{ model: 'm' }, nested],
      [nested, { ...least.userProvided }],
      [nested, { ...least.composite }],
    ];
    for (const [search, indexing] of refused)
      expect(
        refusal(composite(search, indexing)),
        JSON.stringify([search, indexing]),
      ).not.toBeNull();
  });
});

describe('an update of an embedder', () => {
  it('that is new gets the defaults of its source', () => {
    expect(updateEmbedder('a', undefined, {})).toMatchObject({
      source: 'openAi',
      model: 'text-embedding-3-small',
      documentTemplateMaxBytes: 400,
    });
    expect(updateEmbedder('a', undefined, { source: 'huggingFace' })).toMatchObject({
      model: 'BAAI/bge-base-en-v1.5',
      revision: '617ca489d9e86b49b8167676d8220688b99db36e',
      pooling: 'useModel',
    });
    const other = updateEmbedder('a', undefined, { source: 'huggingFace', model: 'a/b' });
    expect(other).not.toHaveProperty('revision');
    const userProvided = { source: 'userProvided', dimensions: 2 } as const;
    expect(updateEmbedder('a', undefined, userProvided)).toEqual(userProvided);
  });

  it('of a local model keeps what was learnt of it, which no request may give', () => {
    const local = updateEmbedder('a', undefined, { source: 'huggingFace', model: 'a/b' });
    const learnt = { ...local, dimensions: 3 };
    expect(updateEmbedder('a', learnt, { documentTemplate: 't' }).dimensions).toBe(3);
    expect(updateEmbedder('a', learnt, { revision: 'v2' }).dimensions).toBeUndefined();
    expect(maskedProviders({ a: learnt })).toEqual({ a: local });
    expect(() => check({ ...learnt })).toThrow('`embedders.a.dimensions`');
  });

  it('of a local model takes no path for a name, also where the update leaves out the source', () => {
    const local = updateEmbedder('a', undefined, { source: 'huggingFace', model: 'a/b' });
    const refused = { model: '../a/b', revision: '../v2' };
    for (const [member, value] of Object.entries(refused))
      expect(() => updateEmbedder('a', local, { [member]: value })).toThrow(
        `\`embedders.a.${member}\` is not the name of a`,
      );
  });

  it.each<[string, EmbedderUpdate, EmbedderUpdate, number | undefined]>([
    ['a new key', { source: 'ollama', model: 'm' }, { apiKey: 'k' }, 7],
    ['another model', { source: 'ollama', model: 'm' }, { model: 'n' }, undefined],
    [
      'another model and dimensions',
      { source: 'ollama', model: 'm' },
      { model: 'n', dimensions: 9 },
      9,
    ],
    ['another URL of OpenAI', { source: 'openAi' }, { url: 'http://y.test' }, 7],
    [
      'another model of OpenAI',
      { source: 'openAi' },
      { model: 'text-embedding-3-large' },
      undefined,
    ],
  ])('keeps or forgets known dimensions with %s', (_, declared, update, dimensions) => {
    const stored = { ...updateEmbedder('a', undefined, declared), dimensions: 7 };
    expect(updateEmbedder('a', stored, update).dimensions).toBe(dimensions);
  });

  it('changes the given members, resets those that are null and keeps the rest', () => {
    const stored = updateEmbedder('a', undefined, {
      apiKey: 'k',
      dimensions: 9,
      model: 'text-embedding-3-large',
    });
    const next = updateEmbedder('a', stored, { apiKey: 'new', dimensions: null, model: null });
    expect(next).toEqual({ ...updateEmbedder('a', undefined, {}), apiKey: 'new' });
  });

  it('with another source leaves nothing of the former provider, its key least of all', () => {
    const stored = updateEmbedder('a', undefined, {
      apiKey: 'secret',
      dimensions: 9,
      documentTemplate: 'mine',
      binaryQuantized: true,
    });
    expect(updateEmbedder('a', stored, least.rest)).toEqual({
      ...least.rest,
      documentTemplate: 'mine',
      documentTemplateMaxBytes: 400,
      binaryQuantized: true,
    });
  });

  it('is refused when the whole is wrong though each part was right', () => {
    const stored = updateEmbedder('a', undefined, least.userProvided);
    expect(refusal(() => updateEmbedder('a', stored, { model: 'm' }))).toMatch('`userProvided`');
    expect(refusal(() => updateEmbedder('a', stored, { dimensions: null }))).toMatch('missing');
  });

  it.each([false, null])('never takes quantization back: %s', (binaryQuantized) => {
    const quantized = updateEmbedder('a', undefined, {
      ...least.userProvided,
      binaryQuantized: true,
    });
    expect(refusal(() => updateEmbedder('a', quantized, { binaryQuantized }))).toMatch(
      'turned off',
    );
    expect(updateEmbedder('a', quantized, { dimensions: 3 }).binaryQuantized).toBe(true);
  });

  it('merges fragments by name and drops those that are null', () => {
    const fragments = { a: { value: 1 }, b: { value: 2 } };
    const stored = updateEmbedder('e', undefined, { ...least.rest, indexingFragments: fragments });
    const next = updateEmbedder('e', stored, { indexingFragments: { a: null, c: { value: 3 } } });
    expect(next.indexingFragments).toEqual({ b: { value: 2 }, c: { value: 3 } });
  });

  it('merges the two of a composite embedder', () => {
    const stored = updateEmbedder('e', undefined, least.composite);
    const searchEmbedder = { source: 'ollama', url: 'http://x.test' };
    const next = updateEmbedder('e', stored, { searchEmbedder });
    expect(next.searchEmbedder).toEqual({ ...nested, url: 'http://x.test' });
    expect(next.indexingEmbedder).toEqual(stored.indexingEmbedder);
  });

  it('with secrets as answers show them keeps the secrets', () => {
    const stored = updateEmbedder('a', undefined, {
      ...least.rest,
      apiKey: 'sk-0123456789',
      url: 'https://user:0123456789@x.test/embed',
      headers: { 'X-Api-Key': 'abcdefghijkl', other: 'plain' },
    });
    const shown = maskedProviders({ a: stored })['a'] as EmbedderUpdate;
    expect(JSON.stringify(shown)).not.toMatch(/0123456789|abcdefghijkl/);
    expect(updateEmbedder('a', stored, shown)).toEqual(stored);
    const headers = { 'X-Api-Key': 'new', other: 'other' };
    expect(updateEmbedder('a', stored, { headers }).headers).toEqual(headers);
  });
});

it('embedders over HTTP show the headers that they have by default, nested ones too', () => {
  const rest = { source: 'rest', url: 'http://x.test' };
  const complete = { ...rest, headers: {} };
  expect(shownEmbedders({ a: rest, b: { source: 'composite', searchEmbedder: rest } })).toEqual({
    a: complete,
    b: { source: 'composite', searchEmbedder: complete },
  });
  const own = { ...rest, headers: { other: 'plain' } };
  expect(shownEmbedders({ own, user: { source: 'userProvided' } })).toEqual({
    own,
    user: { source: 'userProvided' },
  });
});

it('embedders with indexing fragments are shown without the document template', () => {
  const template = { documentTemplate: '{{doc.t}}', documentTemplateMaxBytes: 400 };
  const ollama = { source: 'ollama', indexingFragments: { f: { value: '{{doc.t}}' } } };
  expect(shownEmbedders({ a: { ...ollama, ...template } })).toEqual({ a: ollama });
  const without = { ...ollama, indexingFragments: {}, ...template };
  expect(shownEmbedders({ a: without })).toEqual({ a: without });
});

it('keys and secret headers are shown cut short, those of nested embedders too', () => {
  const keyed = { source: 'rest', apiKey: 'sk-0123456789' };
  const headers = { Authorization: 'Bearer abcdefghijkl', 'X-Other': 'plain' };
  const shown = maskedProviders({
    a: { ...keyed, headers },
    b: { source: 'composite', searchEmbedder: keyed, indexingEmbedder: keyed },
    c: null,
  });
  expect(JSON.stringify(shown)).not.toMatch(/0123456789|abcdefghijkl/);
  expect(shown['a']).toMatchObject({
    headers: { Authorization: 'Bearer abXXXX...', 'X-Other': 'plain' },
  });
  expect(shown['c']).toBeNull();
});

it('headers are secret by the end of their names, however they are written', () => {
  const names = [
    'X-Goog-Api-Key',
    'ocp-apim-subscription-key',
    'PRIVATE-TOKEN',
    'Cookie',
    'apikey',
  ];
  expect(names.filter((name) => !isSecretHeader(name))).toEqual([]);
  expect(
    ['x-request-id', 'x-secret', 'openai-organization', 'key-name'].filter(isSecretHeader),
  ).toEqual([]);
});

it('values of members that hold secrets are not repeated when they are refused', () => {
  for (const member of ['apiKey', 'headers'])
    expect(refusal(() => check({ [member]: { x: ['s3cret'] } }))).toMatch(
      new RegExp(`embedders\\.a\\.${member}[.x]*\` is a value that is not shown(?!.*s3cret)`),
    );
});

it('headers that no request can carry are refused when they are declared', () => {
  const declare = (headers: object) => () => check({ headers });
  expect(declare({ 'X-Project': 'films é', 'x-empty': '' })).not.toThrow();
  for (const headers of [{ 'a b': 'x' }, { '': 'x' }, { a: 'x\ny' }, { a: '語' }, { a: 3 }])
    expect(refusal(declare(headers))).toMatch(
      /embedders\.a\.headers(\.a)?` is a value that is not shown/,
    );
});

it('every member of the table has a place in the specification', () => {
  expect(Object.keys(EMBEDDER_FIELDS).sort()).toEqual(Object.keys(good).sort());
});
