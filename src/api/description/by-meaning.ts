/** Parameters of a search by meaning. */
import { limits } from '../../core/limits.ts';
import type { SearchParameter } from './search-parameter.ts';

const HYBRID_REQUEST = {
  vector: [0.2, 0.9],
  hybrid: { embedder: 'own', semanticRatio: 1 },
  attributesToRetrieve: ['title'],
  limit: 1,
};
const SEMANTIC_HITS = { hits: [{ title: 'Carol' }], semanticHitCount: 1 };

export const BY_MEANING: Readonly<Record<string, SearchParameter>> = {
  hybrid: {
    means: 'The embedder and the share of the results that come by meaning.',
    default: 'null, which means by words alone',
    limits: 'Needs an embedder of the setting `embedders`.',
    request: HYBRID_REQUEST,
    answer: SEMANTIC_HITS,
    mistake: '`hybrid` without words or `vector` finds nothing by meaning; send one of them.',
  },
  embedder: {
    means: 'The name of an embedder of the index.',
    default: null,
    limits: 'Required in `hybrid`; `hybridEmbedder` in an address.',
    request: HYBRID_REQUEST,
    answer: SEMANTIC_HITS,
    mistake: 'There is no default embedder: name it, also when the index has only one.',
  },
  semanticRatio: {
    means: 'The share of results by meaning: 0 is by words alone, 1 by meaning alone.',
    default: '0.5',
    limits: '0.0 to 1.0; `hybridSemanticRatio` in an address.',
    request: { q: 'carol', hybrid: { embedder: 'own', semanticRatio: 0 }, limit: 1 },
    answer: { hits: [{ title: 'Carol' }] },
    mistake: 'It is no weight of scores: it merges two lists by their scores.',
  },
  semanticThreshold: {
    means: 'The least similarity of a result by meaning, which makes totals and facets exact.',
    default: 'null',
    limits: '0.0 to 1.0; `hybridSemanticThreshold` in an address.',
    request: {
      vector: [0.2, 0.9],
      hybrid: { embedder: 'own', semanticRatio: 1, semanticThreshold: 0.9 },
      attributesToRetrieve: ['title'],
    },
    answer: { hits: [{ title: 'Carol' }] },
    mistake: 'Without it a search by meaning finds every document with a vector, however unlike.',
  },
  vector: {
    means: 'The vector of the query, instead of one that the embedder makes of its words.',
    default: 'null',
    limits: 'As many numbers as the embedder has dimensions; needs `hybrid`.',
    request: HYBRID_REQUEST,
    answer: SEMANTIC_HITS,
    mistake: 'Use the model that made the vectors of the documents.',
  },
  media: {
    means:
      'Content other than words, such as an image, of which a multimodal embedder makes the vector.',
    default: 'null',
    limits: 'Needs the experimental feature `multimodal` and an embedder with search fragments.',
    request: {
      media: { image: 'https://example.com/poster.jpg' },
      hybrid: { embedder: 'clip', semanticRatio: 1 },
    },
    mistake: 'The members of `media` must fit one of the fragments of the embedder.',
  },
  rerank: {
    means:
      'Puts the first `topN` hits into the order of a reranker of the index: a service that compares the query with the text of each document.',
    default: 'null',
    limits: `\`reranker\` names one of the setting \`rerankers\`; \`topN\` 1 to ${limits.rerankMax}, ${limits.rerankDefault} by default. Excludes \`diversity\` and \`useNetwork\`.`,
    request: { q: 'love in paris', rerank: { reranker: 'default', topN: 50 } },
    mistake: 'Hits behind `topN` keep their order, and a search without words keeps all of it.',
  },
  personalize: {
    means: 'Puts the hits of a page into the order that suits a user, by an external service.',
    default: 'null',
    limits: 'Needs `--experimental-personalization-api-key`.',
    request: { q: 'love', personalize: { userContext: 'likes old French films' } },
    mistake: 'It orders the hits of the page only: ask for more hits to choose from.',
  },
  userContext: {
    means: 'What is known of the user, in words.',
    default: null,
    limits: 'Required in `personalize`; `personalizeUserContext` in an address.',
    request: { q: 'love', personalize: { userContext: 'likes old French films' } },
    mistake: 'It is sent to the service: leave out what must not leave your house.',
  },
};
