/** Decides the effect of a document write on the document's vectors of one embedder. */

/**
 * The document's `_vectors` entry of the embedder.
 * - nothing: there is no entry
 * - vectors: at least one; with `regenerate` until the content of the document changes
 * - noVectors: null or an empty list
 * - regenerate, keep: an entry without embeddings that says `regenerate: true`, or false
 */
export type GivenVectors = 'nothing' | 'vectors' | 'noVectors' | 'regenerate' | 'keep';

/**
 * Vectors that the document had before.
 * - none: the embedder has never processed the document
 * - optedOut: the document must have none
 * - given: they came with it, and stay until other vectors come
 * - generated: they hold for the text of the document. The server keeps them up to date, unless the
 *   embedder is user-provided: then the document brings new ones with a new text
 */
export type StoredVectors = 'none' | 'optedOut' | 'given' | 'generated';

/**
 * - keep: the existing vectors, unchanged
 * - store: the vectors that the document brings
 * - drop: none from now on, until the document brings some
 * - generate: render, and embed unless the input equals that of the existing vectors
 * - refuse: the embedder makes none and the document brings none
 * - keepForText: keep if the document renders to the same text as before, otherwise refuse
 */
type VectorAction = 'keep' | 'store' | 'drop' | 'generate' | 'refuse' | 'keepForText';

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

export function vectorAction(
  given: GivenVectors,
  stored: StoredVectors,
  isUserProvided: boolean,
): VectorAction {
  const action = ACTIONS[given][stored];
  if (action !== 'generate' || !isUserProvided) return action;
  if (stored !== 'generated') return 'refuse';
  return given === 'keep' ? 'keep' : 'keepForText';
}
