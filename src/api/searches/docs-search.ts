/** Searches the index of the documentation, which the build writes. */
import { FULL_ACCESS } from '../../auth/access.ts';
import type { Requester } from '../../core/caller.ts';
import type { ApiContext } from '../contract/context.ts';
import { readSearch } from './read-search.ts';
import { toSearchRequest } from './search-request.ts';

const HITS_MAX = 12;
const EXCERPT_WORDS = 20;
/** These searches share one place among the API keys whose searches wait. */
const CALLER_KEY = 'documentation';

/** The word that a user has completed is no prefix: a stop word at the end is dropped. */
const endingWord = (q: string, stopWords: readonly string[]): string =>
  stopWords.includes(q.slice(q.lastIndexOf(' ') + 1)) ? `${q} ` : q;

/** The JSON bytes of the answer; null where the sources run without a build. */
export async function searchDocumentation(
  context: ApiContext,
  words: string,
  caller: Requester,
): Promise<Uint8Array | null> {
  const index = context.documentationIndex();
  if (index === null) return null;
  const { clock, features } = context;
  const { settings } = index.manifest;
  const request = toSearchRequest(
    {
      q: endingWord(words.toLowerCase(), settings.stopWords),
      limit: HITS_MAX,
      attributesToRetrieve: ['page', 'title', 'heading', 'anchor'],
      attributesToCrop: ['text'],
      cropLength: EXCERPT_WORDS,
    },
    { settings, binding: null, features, rules: null, nowMs: clock.now() },
  );
  const { requestUid, receivedAtMs: arrivedAtMs = clock.monotonic() } = caller;
  return readSearch(
    context,
    index,
    { request, arrivedAtMs, access: FULL_ACCESS },
    {
      requestUid,
      receivedAtMs: arrivedAtMs,
      keyUid: CALLER_KEY,
      get isAborted() {
        return caller.isAborted;
      },
    },
  );
}
