/**
 * The searches of a chat: limited to the access of its key or token, with the parameters of the
 * index setting `chat`.
 */

import type { Access } from '../../auth/access.ts';
import type { Found } from '../../chat/chat.ts';
import type { ChatIndex, SearchCall } from '../../chat/search-tool.ts';
import type { Requester } from '../../core/caller.ts';
import { ApiError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { DocumentTemplate, isSearchableIn } from '../../embedding/templates/document-template.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { isListed } from '../../model/attribute-pattern.ts';
import { type ChatSetting, chatSettingOf } from '../../model/chat-setting.ts';
import { DEFAULT_DOCUMENT_TEMPLATE } from '../../model/embedders/embedder-settings.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import type { Settings } from '../../model/settings.ts';
import type { ApiContext } from '../contract/context.ts';
import { readSearch } from './read-search.ts';
import { searchConditions, toSearchRequest } from './search-request.ts';
import { withQueryVector } from './semantic-query.ts';

const DOCUMENTS_MAX = 100;
const DOCUMENTS_DEFAULT = 20;
/** Maximum bytes of the documents of one search, as JSON. */
const FOUND_BYTES_MAX = 4 << 20;
/** Maximum characters of their texts, which become part of the conversation. */
const TEXT_CHARS_MAX = 65_536;
const BETWEEN_DOCUMENTS = '\n---\n';

export interface ChatCaller {
  readonly access: Access;
  readonly caller: Requester;
}

/** Indexes whose facet values are shown to the model; each costs a search that the front caches. */
const VALUED_INDEXES_MAX = 10;
const VALUED_ATTRIBUTES_MAX = 10;
/** Values per attribute, the most frequent ones. */
const VALUES_MAX = 10;
const VALUE_CHARS_MAX = 50;

const attributesOf = ({ filterableAttributes }: Settings): string[] =>
  filterableAttributes.flatMap((attribute) =>
    typeof attribute === 'string' ? attribute : attribute.attributePatterns,
  );

/** The indexes that the caller may search, in order of uid. Without facet values if they fail. */
export const chatIndexes = (context: ApiContext, who: ChatCaller): Promise<ChatIndex[]> =>
  Promise.all(
    context.indexes
      .list()
      .filter(({ manifest }) => who.access.reaches(manifest.uid))
      .map(async (index, i) => {
        const { uid, settings } = index.manifest;
        return {
          uid,
          description: chatSettingOf(settings.chat).description,
          filterable: attributesOf(settings),
          values: i < VALUED_INDEXES_MAX ? await facetValues(context, who, index) : {},
        };
      }),
  );

/**
 * The most frequent values of the index's first filterable attributes that are displayed, in the
 * documents that the caller may see.
 */
async function facetValues(
  context: ApiContext,
  { access, caller }: ChatCaller,
  index: PublishedIndex,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { settings } = index.manifest;
  const { displayedAttributes: displayed } = settings;
  const facets = attributesOf(settings)
    .filter((name) => !name.includes('*') && !name.startsWith('_'))
    .filter((name) => isListed(displayed, name))
    .slice(0, VALUED_ATTRIBUTES_MAX);
  if (facets.length === 0) return {};
  try {
    const body = { limit: 0, facets, sortFacetValuesBy: 'count' } as SearchBody;
    const search = {
      request: toSearchRequest(body, searchConditions(context, index, access)),
      arrivedAtMs: context.clock.monotonic(),
      access,
    };
    const bytes = await readSearch(context, index, search, caller);
    const { facetDistribution } = JSON.parse(Buffer.from(bytes).toString()) as {
      readonly facetDistribution: Readonly<Record<string, object>>;
    };
    return Object.fromEntries(
      Object.entries(facetDistribution).map(([name, counts]) => [
        name,
        Object.keys(counts)
          .filter(({ length }) => length <= VALUE_CHARS_MAX)
          .slice(0, VALUES_MAX),
      ]),
    );
  } catch (error) {
    if (error instanceof ApiError) return {};
    throw error;
  }
}

export async function searchForChat(
  context: ApiContext,
  { access, caller }: ChatCaller,
  call: SearchCall,
): Promise<Found> {
  const index = requireOffered(context, access, call.indexUid);
  const { settings } = index.manifest;
  const chat = chatSettingOf(settings.chat);
  const asked = toSearchRequest(searchBody(call, chat), searchConditions(context, index, access));
  const search = {
    request: await withQueryVector(context, index, asked, caller),
    arrivedAtMs: context.clock.monotonic(),
    access,
  };
  const bytes = await readSearch(context, index, search, caller);
  if (bytes.length > FOUND_BYTES_MAX)
    throw new ApiError(
      'payload_too_large',
      `the documents found are too long, ${bytes.length} bytes in all; ask for others.`,
    );
  const { hits } = JSON.parse(Buffer.from(bytes).toString()) as { readonly hits: Json[] };
  return { text: textOf(hits, chat, settings), documents: hits };
}

/** An index outside the caller's access gives the same error as a missing one. */
function requireOffered(context: ApiContext, access: Access, uid: string): PublishedIndex {
  const index = access.reaches(uid) ? context.indexes.get(uid) : undefined;
  if (index !== undefined) return index;
  throw new ApiError(
    'index_not_found',
    `there is no index \`${uid.slice(0, 100)}\`; take one of those that were named.`,
  );
}

function searchBody({ q, filter }: SearchCall, { searchParameters }: ChatSetting): SearchBody {
  const { limit = DOCUMENTS_DEFAULT, sort, attributesToSearchOn, ...same } = searchParameters;
  return {
    ...same,
    ...(sort !== undefined && { sort: [...sort] }),
    ...(attributesToSearchOn !== undefined && { attributesToSearchOn: [...attributesToSearchOn] }),
    q,
    filter,
    limit: Math.min(limit, DOCUMENTS_MAX),
  } as SearchBody;
}

/** Texts of the documents for the model, as many as fit. */
function textOf(
  hits: readonly Json[],
  { documentTemplate, documentTemplateMaxBytes }: ChatSetting,
  { searchableAttributes }: Settings,
): string {
  if (hits.length === 0) return 'No document was found.';
  const own = DocumentTemplate.parse(documentTemplate, documentTemplateMaxBytes);
  const plain = DocumentTemplate.parse(DEFAULT_DOCUMENT_TEMPLATE, documentTemplateMaxBytes);
  const isSearchable = isSearchableIn(searchableAttributes);
  let text = '';
  for (const hit of hits) {
    const next = own.renderOrNull(hit, isSearchable) ?? plain.renderOrNull(hit, isSearchable) ?? '';
    const joined = text === '' ? next : text + BETWEEN_DOCUMENTS + next;
    if (joined.length > TEXT_CHARS_MAX && text !== '') break;
    text = joined.slice(0, TEXT_CHARS_MAX);
  }
  return text;
}
