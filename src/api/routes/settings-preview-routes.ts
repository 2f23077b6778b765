/** Previews settings without storing them: required rebuilds, and a search with them. */
import type { Access } from '../../auth/access.ts';
import { requireAction } from '../../auth/authorize.ts';
import { ApiError } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import { remadeEmbedders } from '../../embedding/embedder-change.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { applySettings } from '../../model/apply-settings.ts';
import { makesVectors } from '../../model/embedders/embedder-dimensions.ts';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import { SettingsPreviewBody } from '../../model/schemas/settings-preview-schema.ts';
import type { SettingsBody } from '../../model/schemas/settings-schema.ts';
import type { Settings } from '../../model/settings.ts';
import type { ApiContext } from '../contract/context.ts';
import { defineRoute, type Route, type RouteRequest } from '../contract/route.ts';
import { readIndex, requireIndex } from '../searches/index-reader.ts';
import { asksNetwork } from '../searches/network-search.ts';
import { personalizer } from '../searches/personalized-search.ts';
import { searchConditions, toSearchRequest } from '../searches/search-request.ts';
import { withQueryVector } from '../searches/semantic-query.ts';
import { checkSettings } from '../settings/settings-rules.ts';
import { SEARCH_ERRORS } from './search-routes.ts';

/**
 * A key without the right to read documents sees only the attributes that searches of the index
 * show.
 */
const withStoredDisplay = (tried: Settings, stored: Settings, access: Access): Settings =>
  access.holds('documents.get')
    ? tried
    : { ...tried, displayedAttributes: stored.displayedAttributes };

/** @param index with the previewed settings */
async function searchUnder(
  context: ApiContext,
  index: PublishedIndex,
  { body, access, caller, receivedAtMs }: RouteRequest<unknown, unknown, SettingsPreviewBody>,
) {
  const { search } = body;
  if (!isGiven(search)) return null;
  if (asksNetwork(context, search))
    throw new ApiError(
      'invalid_search_use_network',
      '`search.useNetwork` is `true`; settings are previewed on this instance only, so it must be `false`.',
    );
  const { personalize } = search;
  personalizer(context, { personalize, queries: [], place: 'search.personalize' });
  if (personalize)
    throw new ApiError(
      'invalid_search_personalize',
      '`search.personalize` is given; settings are tried without what depends on a user, so leave it out.',
    );
  if (search.rerank)
    throw new ApiError(
      'invalid_search_rerank',
      '`search.rerank` is given; settings are tried without requests to rerankers, so leave it out.',
    );
  const asked = toSearchRequest(search, searchConditions(context, index, access));
  return {
    request: await withQueryVector(context, index, asked, caller),
    requestUid: caller.requestUid,
    spentMs: context.clock.monotonic() - receivedAtMs,
  };
}

export const settingsPreviewRoutes: readonly Route[] = [
  defineRoute({
    id: 'settings.preview',
    endpoint: 'POST /indexes/:indexUid/settings/preview',
    action: 'settings.update',
    summary: 'Preview settings: what an update would rebuild, and a search with them',
    body: SettingsPreviewBody,
    errors: [...SEARCH_ERRORS, 'invalid_search_media_and_vector'],
    handler: async (context, request) => {
      const { params, body, caller, access } = request;
      const stored = requireIndex(context, params.indexUid);
      const update = checkSettings(body.settings as SettingsBody, context.features);
      if (body.search != null) requireAction(access, 'search', 'a preview with a search requires');
      const settings = withStoredDisplay(
        applySettings(stored.manifest.settings, update),
        stored.manifest.settings,
        access,
      );
      const remade = remadeEmbedders(stored.manifest.settings, settings);
      const embeds = [...remade.keys()].filter((name) =>
        makesVectors(settings.embedders[name] as EmbedderSettings),
      );
      const index = { ...stored, manifest: { ...stored.manifest, settings } };
      const search = embeds.length === 0 ? await searchUnder(context, index, request) : null;
      const work = { kind: 'settingsPreview', settings, embeds, search } as const;
      return {
        status: 200,
        bytes: await readIndex(context, { index: stored, work, access }, caller),
      };
    },
  }),
];
