/** What a write of a document does to the vectors that the document has of one embedder. */

/**
 * What the document says of the embedder in `_vectors`.
 * - nothing: there is no entry
 * - vectors: at least one; with `regenerate` until the content of the document changes
 * - noVectors: null or an empty list
 * - regenerate, keep: an entry without embeddings that says `regenerate: true`, or false
 */
export type GivenVectors = 'nothing' | 'vectors' | 'noVectors' | 'regenerate' | 'keep';

/**
 * Vectors that the document had before.
 * - none: document and embedder have not met
 * - optedOut: it shall have none
 * - given: they came with it, and stay until others do
 * - generated: the server keeps them up to date
 */
export type StoredVectors = 'none' | 'optedOut' | 'given' | 'generated';

/**
 * - keep: those that are there, as they are
 * - store: those that the document gives
 * - drop: none from now on, until the document gives some
 * - generate: render, and embed unless the input is that of the vectors it has
 * - refuse: the embedder makes none and the document brings none
 */
export type VectorAction = 'keep' | 'store' | 'drop' | 'generate' | 'refuse';

const ACTIONS: Readonly<Record<GivenVectors, Readonly<Record<StoredVectors, VectorAction>>>> = {
  nothing: { none: 'generate', optedOut: 'keep', given: 'keep', generated: 'generate' },
  vectors: { none: 'store', optedOut: 'store', given: 'store', generated: 'store' },
  noVectors: { none: 'drop', optedOut: 'drop', given: 'drop', generated: 'drop' },
  regenerate: {
    none: 'generate',
    optedOut: 'generate',
    given: 'generate',
    generated: 'generate',
  },
  keep: { none: 'drop', optedOut: 'drop', given: 'keep', generated: 'generate' },
};

/** @param isUserProvided whether the embedder makes no vectors */
export function vectorAction(
  given: GivenVectors,
  stored: StoredVectors,
  isUserProvided: boolean,
): VectorAction {
  const action = ACTIONS[given][stored];
  return action === 'generate' && isUserProvided ? 'refuse' : action;
}
