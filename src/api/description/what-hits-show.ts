/** Parameters that say what the hits of a search show. */
import { limits } from '../../core/limits.ts';
import type { SearchParameter } from './search-parameter.ts';

const NAMES = `${limits.namesPerListMax.toLocaleString('en')} names, ${limits.patternsPerListMax} of them with \`*\`.`;
const MARK = `${limits.markLengthMax.toLocaleString('en')} characters.`;

export const WHAT_HITS_SHOW: Readonly<Record<string, SearchParameter>> = {
  attributesToRetrieve: {
    means: 'The attributes that hits show.',
    default: '["*"]',
    limits: `Only displayed attributes are shown. ${NAMES}`,
    request: { q: 'carol', attributesToRetrieve: ['title'], limit: 1 },
    answer: { hits: [{ title: 'Carol' }] },
    mistake: 'Hidden attributes stay searchable: secrets do not belong into documents.',
  },
  attributesToHighlight: {
    means: 'The attributes whose matching words are marked, in `_formatted`.',
    default: 'null',
    limits: NAMES,
    request: {
      q: 'carol',
      attributesToHighlight: ['title'],
      attributesToRetrieve: ['title'],
      limit: 1,
    },
    answer: { hits: [{ _formatted: { title: '<em>Carol</em>' } }] },
    mistake: 'Marks are not escaped: escape documents before you put them into HTML.',
  },
  highlightPreTag: {
    means: 'The text before each marked word.',
    default: '"<em>"',
    limits: MARK,
    request: {
      q: 'carol',
      attributesToHighlight: ['title'],
      highlightPreTag: '**',
      highlightPostTag: '**',
      attributesToRetrieve: ['title'],
      limit: 1,
    },
    answer: { hits: [{ _formatted: { title: '**Carol**' } }] },
    mistake: 'Without `attributesToHighlight` it has no effect.',
  },
  highlightPostTag: {
    means: 'The text after each marked word.',
    default: '"</em>"',
    limits: MARK,
    request: {
      q: 'pi',
      attributesToHighlight: ['title'],
      highlightPreTag: '[',
      highlightPostTag: ']',
      attributesToRetrieve: ['title'],
      limit: 1,
    },
    answer: { hits: [{ _formatted: { title: 'Life of [Pi]' } }] },
    mistake: 'Change it together with `highlightPreTag`.',
  },
  attributesToCrop: {
    means: 'The attributes that are shortened around their matching words, in `_formatted`.',
    default: 'null',
    limits: `\`name:length\` has a length of its own. ${NAMES}`,
    request: {
      q: 'lobby boy',
      attributesToCrop: ['overview:4'],
      attributesToRetrieve: ['overview'],
      limit: 1,
    },
    answer: { hits: [{ _formatted: { overview: '…his lobby boy are…' } }] },
    mistake: 'The attribute itself stays whole: show `_formatted`, and do not retrieve long texts.',
  },
  cropLength: {
    means: 'The number of words of a shortened attribute.',
    default: '10',
    limits: '0 shortens nothing.',
    request: {
      q: 'painting',
      attributesToCrop: ['overview'],
      cropLength: 3,
      attributesToRetrieve: ['overview'],
      limit: 1,
    },
    answer: { hits: [{ _formatted: { overview: '…for a painting.' } }] },
    mistake: 'It counts words, not characters.',
  },
  cropMarker: {
    means: 'The text where a shortened attribute was cut.',
    default: '"…"',
    limits: MARK,
    request: {
      q: 'painting',
      attributesToCrop: ['overview'],
      cropLength: 3,
      cropMarker: ' [more] ',
      attributesToRetrieve: ['overview'],
      limit: 1,
    },
    answer: { hits: [{ _formatted: { overview: ' [more] for a painting.' } }] },
    mistake: 'An empty text hides that something was cut.',
  },
  showMatchesPosition: {
    means: 'Whether hits have `_matchesPosition`: start and length in bytes of each matching word.',
    default: 'false',
    request: { q: 'carol', showMatchesPosition: true, attributesToRetrieve: ['title'], limit: 1 },
    answer: { hits: [{ _matchesPosition: { title: [{ start: 0, length: 5 }] } }] },
    mistake: 'Positions are bytes of UTF-8, not characters of JavaScript strings.',
  },
  showRankingScore: {
    means: 'Whether hits have `_rankingScore`, from 0.0 to 1.0.',
    default: 'false',
    request: {
      q: 'wonder woman',
      showRankingScore: true,
      attributesToRetrieve: ['title'],
      limit: 1,
    },
    answer: { hits: [{ title: 'Wonder Woman' }] },
    mistake: 'Scores follow the ranking rules; `sort` and custom rules count for nothing in them.',
  },
  showRankingScoreDetails: {
    means: 'Whether hits have `_rankingScoreDetails`: the score of each ranking rule.',
    default: 'false',
    request: {
      q: 'wonder woman',
      showRankingScoreDetails: true,
      attributesToRetrieve: ['title'],
      limit: 1,
    },
    answer: { hits: [{ _rankingScoreDetails: { words: { matchingWords: 2 } } }] },
    mistake:
      'It makes answers several times as large: use it to understand an order, not in pages.',
  },
  showPerformanceDetails: {
    means: 'Whether the answer has `performanceDetails`: the time of each step.',
    default: 'false',
    request: { q: 'love', showPerformanceDetails: true, limit: 0 },
    answer: { hits: [] },
    mistake: 'A first search after a write is slower: measure several.',
  },
  retrieveVectors: {
    means: 'Whether hits have `_vectors` with the vectors of the document.',
    default: 'false',
    request: { q: 'carol', retrieveVectors: true, attributesToRetrieve: ['title'], limit: 1 },
    answer: { hits: [{ title: 'Carol', _vectors: { own: { embeddings: [[0.2, 0.9]] } } }] },
    mistake: 'Vectors are large: a page of 20 hits with 1,536 dimensions has half a megabyte.',
  },
  profile: {
    means: 'Microseconds and candidates of each stage; `?profile=true` asks for them.',
    default: 'false',
    limits: 'A query parameter, also of a search with a body.',
    request: { q: 'love' },
    mistake: 'Send it in the address, `?profile=true`, not in the body.',
  },
};
