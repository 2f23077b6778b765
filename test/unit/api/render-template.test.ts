/** Templates rendered on request: those of embedders and those that are being written. */
import { describe, expect, it } from 'vitest';
import { renderTemplateRoutes } from '../../../src/api/routes/render-template-routes.ts';
import { FULL_ACCESS } from '../../../src/auth/access.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { EmbedderSettings } from '../../../src/model/embedders/embedder-settings.ts';
import { NO_FEATURES } from '../../../src/model/features.ts';
import { createFakeApiContext, jsonReply } from '../../support/fake-api-context.ts';
import { NO_HEADERS, noAsk } from '../../support/route-request.ts';

const rest: EmbedderSettings = {
  source: 'rest',
  documentTemplate: 'Title: {{doc.title}}',
  documentTemplateMaxBytes: 12,
  indexingFragments: { image: { value: { url: '{{doc.poster}}' } } },
  searchFragments: { words: { value: '{{q}}' }, picture: { value: '{{media.image}}' } },
};

function contextWith(settings = {}) {
  const context = createFakeApiContext();
  context.features = { ...NO_FEATURES, renderRoute: true, multimodal: true };
  context.publish('films', {
    searchableAttributes: ['title'],
    embedders: {
      e: rest,
      c: { source: 'composite', indexingEmbedder: rest, searchEmbedder: rest },
    },
    ...settings,
  });
  return context;
}

async function render(body: object, context = contextWith(), access = FULL_ACCESS) {
  const answer = await renderTemplateRoutes[0]?.handler(context, {
    params: {},
    query: {},
    body,
    headers: NO_HEADERS,
    ask: noAsk,
    access,
    rawQuery: '',
    receivedAtMs: 0,
    caller: { isAborted: false, requestUid: 'r', keyUid: null },
  });
  return (answer as { readonly json: unknown }).json;
}

const ofIndex = (kind: string, more = {}) => ({ kind, indexUid: 'films', embedder: 'e', ...more });
const inlineDocument = (inline: object) => ({ kind: 'inlineDocument', inline });

describe('a template', () => {
  it.each([
    ['documentTemplate', {}, rest.documentTemplate],
    ['documentTemplate', { embedder: 'c' }, rest.documentTemplate],
    ['indexingFragment', { fragment: 'image' }, { url: '{{doc.poster}}' }],
    ['searchFragment', { fragment: 'words', embedder: 'c' }, '{{q}}'],
  ])(
    'of the kind %s %j is shown, and rendered only with an input',
    async (kind, more, template) => {
      expect(await render({ template: ofIndex(kind, more) })).toEqual({ template, rendered: null });
    },
  );

  it('renders documents, cut as the embedder or the request says', async () => {
    const input = inlineDocument({ title: 'Alien' });
    const rendered = async (more = {}) =>
      (await render({ template: ofIndex('documentTemplate', more), input })) as object;
    expect(await rendered()).toMatchObject({ rendered: 'Title: Alien' });
    expect(await rendered({ documentTemplateMaxBytes: 5 })).toMatchObject({ rendered: 'Title' });
  });

  it('renders fragments of documents and of searches', async () => {
    const image = { template: ofIndex('indexingFragment', { fragment: 'image' }) };
    expect(await render({ ...image, input: inlineDocument({ poster: 'u' }) })).toMatchObject({
      rendered: { url: 'u' },
    });
    const picture = { template: ofIndex('searchFragment', { fragment: 'picture' }) };
    const input = { kind: 'inlineSearch', inline: { media: { image: 'data' } } };
    expect(await render({ ...picture, input })).toMatchObject({ rendered: 'data' });
    const inline = { template: { kind: 'inlineFragment', inline: ['{{q}}', 1] } };
    const search = { kind: 'inlineSearch', inline: { q: 'tea' } };
    expect(await render({ ...inline, input: search })).toEqual({
      template: ['{{q}}', 1],
      rendered: ['tea', 1],
    });
  });

  it('renders a document of an index as its settings make it searchable', async () => {
    const context = contextWith();
    const stored = () => jsonReply({ id: 1, title: 'Alien', year: 1979 });
    context.replies = [stored];
    const template = {
      kind: 'inlineDocumentTemplate',
      inline: '{% for f in fields %}{{ f.name }}={{ f.is_searchable }} {% endfor %}',
    };
    const input = { kind: 'indexDocument', indexUid: 'films', id: '1' };
    expect(await render({ template, input }, context)).toMatchObject({
      rendered: 'id=false title=true year=false ',
    });
    expect(context.queries[0]?.work).toMatchObject({ kind: 'document', id: '1' });
  });

  it('for chats is the default while the index has none of its own', async () => {
    const template = { kind: 'chatDocumentTemplate', indexUid: 'films' };
    const input = inlineDocument({ title: 'Alien', year: 1979 });
    expect(await render({ template, input })).toMatchObject({ rendered: 'title: Alien\n' });
    const own = contextWith({ chat: { documentTemplate: 'Y {{doc.year}}' } });
    expect(await render({ template, input }, own)).toMatchObject({ rendered: 'Y 1979' });
  });
});

describe('refused is', () => {
  const code = async (body: object, context = contextWith(), access = FULL_ACCESS) => {
    const error: unknown = await render(body, context, access).catch((reason: unknown) => reason);
    return error instanceof ApiError ? error.code : `no ApiError: ${String(error)}`;
  };
  const picture = ofIndex('searchFragment', { fragment: 'picture' });

  it.each([
    [{ template: ofIndex('documentTemplate', { fragment: 'image' }) }, 'invalid_render_template'],
    [
      { template: ofIndex('documentTemplate', { embedder: '__proto__' }) },
      'invalid_render_template',
    ],
    [{ template: ofIndex('indexingFragment', { fragment: 'nope' }) }, 'invalid_render_template'],
    [{ template: { ...picture, documentTemplateMaxBytes: 3 } }, 'invalid_render_template'],
    [{ template: picture, input: inlineDocument({}) }, 'template_rendering_error'],
    [
      { template: { ...picture, embedder: 'x' }, input: inlineDocument([]) },
      'invalid_render_template',
    ],
    [
      { template: picture, input: { kind: 'inlineSearch', inline: { q: 'tea' } } },
      'template_rendering_error',
    ],
    [
      { template: ofIndex('documentTemplate'), input: inlineDocument({}) },
      'template_rendering_error',
    ],
  ])('%j', async (body, expected) => {
    expect(await code(body)).toBe(expected);
  });

  it('a variable that is missing, by its name', async () => {
    const input = { kind: 'inlineSearch', inline: { q: 'tea' } };
    await expect(render({ template: picture, input })).rejects.toThrow(/variable: media/);
  });

  it('a document that is not there', async () => {
    const context = contextWith();
    const error = { code: 'document_not_found', message: 'There is no such document.' } as const;
    context.replies = [() => ({ ok: false, error })];
    const input = { kind: 'indexDocument', indexUid: 'films', id: '1' };
    expect(await code({ template: ofIndex('documentTemplate'), input }, context)).toBe(
      'render_document_not_found',
    );
  });

  it('a key that may not read documents, or does not reach the index', async () => {
    const body = { template: ofIndex('documentTemplate') };
    const blind = { ...FULL_ACCESS, holds: (action: string) => action !== 'documents.get' };
    expect(await code(body, contextWith(), blind)).toBe('invalid_api_key');
    const apart = { ...FULL_ACCESS, reaches: () => false };
    expect(await code(body, contextWith(), apart)).toBe('invalid_api_key');
  });
});
