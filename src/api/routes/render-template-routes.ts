/** The route that renders a stored or inline embedder template with a document. */

import type { Access } from '../../auth/access.ts';
import { requireReach } from '../../auth/authorize.ts';
import type { Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import type { Json } from '../../core/json.ts';
import { DocumentTemplate, isSearchableIn } from '../../embedding/templates/document-template.ts';
import { FragmentTemplate } from '../../embedding/templates/fragment-template.ts';
import { RenderLimit, TemplateError } from '../../embedding/templates/liquid-engine.ts';
import {
  RenderBody,
  type RenderInput,
  type RenderTemplate,
} from '../../model/schemas/render-schema.ts';
import type { Settings } from '../../model/settings.ts';
import type { ApiContext } from '../contract/context.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { defineRoute, QUERY_ERRORS, type Route } from '../contract/route.ts';
import { readIndex, requireIndex } from '../searches/index-reader.ts';
import {
  checkInput,
  checkTemplate,
  type NamedTemplate,
  namedTemplate,
} from '../settings/render-request.ts';

/** The event loop of the front waits for the rendering. */
const PREVIEW_MS_MAX = 200;

function checkRights({ features }: ApiContext, access: Access, { kind }: RenderTemplate): void {
  const what = `Rendering a template of the kind \`${kind}\``;
  requireFeature(features, 'renderRoute', what);
  if (/fragment$/i.test(kind)) requireFeature(features, 'multimodal', what);
  if (!access.holds('documents.get'))
    throw new ApiError(
      'invalid_api_key',
      'The provided API key or tenant token does not have the action `documents.get`.',
    );
}

/** @throws ApiError `invalid_api_key`, `index_not_found` */
function settingsOf(
  context: ApiContext,
  access: Access,
  indexUid: string | null | undefined,
): Settings | null {
  if (!isGiven(indexUid)) return null;
  requireReach(access, indexUid);
  return requireIndex(context, indexUid).manifest.settings;
}

async function readInput(
  context: ApiContext,
  { kind, indexUid, id, inline }: RenderInput,
  caller: Requester,
): Promise<Json> {
  if (kind !== 'indexDocument') return inline as Json;
  const index = requireIndex(context, indexUid ?? '');
  const work = {
    kind: 'document',
    id: String(id ?? ''),
    fields: null,
    retrieveVectors: false,
  } as const;
  try {
    const bytes = await readIndex(context, { index, work }, caller);
    return JSON.parse(Buffer.from(bytes).toString()) as Json;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'document_not_found') throw error;
    throw new ApiError('render_document_not_found', error.message);
  }
}

function checkInputKind(named: NamedTemplate, { kind }: RenderInput): void {
  const isSearch = kind === 'inlineSearch';
  const isFit =
    named.kind === 'text' ? !isSearch : named.of === null || (named.of === 'searches') === isSearch;
  if (isFit) return;
  throw new ApiError(
    'template_rendering_error',
    `\`input.kind\` is \`${kind}\`, which the template does not take: it is for ${isSearch ? 'documents' : 'searches'}.`,
  );
}

/** @throws TemplateError */
function compile(
  named: NamedTemplate,
): (input: Json, isSearch: boolean, searchable: readonly string[]) => unknown {
  if (named.kind === 'text') {
    const template = DocumentTemplate.parse(named.template, named.bytesMax);
    return (document, _, searchable) =>
      template.render(document, isSearchableIn(searchable), new RenderLimit(PREVIEW_MS_MAX));
  }
  const template = FragmentTemplate.parse(named.template);
  return (input, isSearch) =>
    template.fill(isSearch ? input : { doc: input }, new RenderLimit(PREVIEW_MS_MAX));
}

function withTypedErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const isParsing = error.stage === 'parsing';
    throw new ApiError(
      isParsing ? 'template_parsing_error' : 'template_rendering_error',
      `The template does not ${isParsing ? 'parse' : 'render'}: ${error.message}.`,
    );
  }
}

export const renderTemplateRoutes: readonly Route[] = [
  defineRoute({
    id: 'renderTemplate.post',
    endpoint: 'POST /render-template',
    action: 'settings.get',
    summary: 'Render a template with a document',
    body: RenderBody,
    errors: [
      'feature_not_enabled',
      'index_not_found',
      'render_document_not_found',
      'template_parsing_error',
      'template_rendering_error',
      ...QUERY_ERRORS,
    ],
    handler: async (context, { access, caller, body: { template, input = null } }) => {
      checkRights(context, access, template);
      checkTemplate(template);
      const settings = settingsOf(context, access, template.indexUid);
      const named = namedTemplate(template, settings);
      const render = withTypedErrors(() => compile(named));
      if (input === null)
        return { status: 200, json: { template: named.template, rendered: null } };
      checkInput(input);
      checkInputKind(named, input);
      const inputSettings = settingsOf(context, access, input.indexUid);
      const value = await readInput(context, input, caller);
      const { searchableAttributes = ['*'] } = settings ?? inputSettings ?? {};
      const rendered = withTypedErrors(() =>
        render(value, input.kind === 'inlineSearch', searchableAttributes),
      );
      return { status: 200, json: { template: named.template, rendered } };
    },
  }),
];
