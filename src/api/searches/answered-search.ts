/**
 * One search of one index, from its body to its answer: found here or in the network, reranked,
 * personalized, recorded.
 */
import type { Access } from '../../auth/access.ts';
import type { Requester } from '../../core/caller.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import type { AliasTable } from '../../model/alias.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import type { ApiContext } from '../contract/context.ts';
import type { RouteHeaders } from '../contract/route.ts';
import { foreignAccess } from './foreign-index-sources.ts';
import { asksNetwork, searchNetwork } from './network-search.ts';
import { personalizer, pinnedHits } from './personalized-search.ts';
import { type ReceivedSearch, readSearch } from './read-search.ts';
import { recordSearch } from './recorded-search.ts';
import { withRerankedHits } from './reranked-search.ts';
import { searchMetadata, wantsMetadata, withMetadata } from './search-metadata.ts';
import { searchConditions, toSearchRequest } from './search-request.ts';
import { withQueryVector } from './semantic-query.ts';

export interface AskedSearch extends Pick<ReceivedSearch, 'arrivedAtMs' | 'cutoffSinceMs'> {
  readonly index: PublishedIndex;
  readonly body: SearchBody;
  readonly showsProfile: boolean;
  readonly headers: RouteHeaders;
  readonly access: Access;
  readonly caller: Requester;
  /** At the arrival of the request. */
  readonly aliases: AliasTable;
}

export async function answeredSearch(context: ApiContext, asked: AskedSearch): Promise<Uint8Array> {
  const { index, body, headers, access, caller, arrivedAtMs, cutoffSinceMs } = asked;
  const { manifest } = index;
  const { personalize, q, filter } = body;
  const inOrder = personalizer(context, { personalize, queries: [q], place: 'personalize' });
  const plain = toSearchRequest(body, searchConditions(context, index, access, asked.aliases));
  const request = asked.showsProfile ? { ...plain, showProfile: true } : plain;
  const found = asksNetwork(context, body)
    ? await searchNetwork(
        context,
        { index, access, foreignAccess: foreignAccess({ access, headers }), caller, arrivedAtMs },
        body,
      )
    : await readSearch(
        context,
        index,
        {
          request:
            request.semantic === null
              ? request
              : await withQueryVector(context, index, request, caller),
          arrivedAtMs,
          cutoffSinceMs,
          access,
        },
        caller,
      );
  const ranked = await withRerankedHits(
    context,
    { settings: manifest.settings, request, answer: found },
    caller,
  );
  const bytes =
    inOrder === null ? ranked : await inOrder(ranked, caller, pinnedHits(manifest, request.pins));
  const metadata = wantsMetadata(headers) ? searchMetadata(index, q) : null;
  recordSearch(context, headers, {
    index: manifest.uid,
    q,
    filter,
    bytes,
    queryUid: metadata?.queryUid,
    sinceMs: arrivedAtMs,
  });
  return metadata === null ? bytes : withMetadata(bytes, metadata);
}
