/** Schema of the search of the documentation. */
import Type from 'typebox';
import { closed } from './schema.ts';

const WORDS_LENGTH_MAX = 200;

export const DocsSearchQuery = closed({
  q: Type.String({
    maxLength: WORDS_LENGTH_MAX,
    code: 'invalid_search_q',
    missing: 'invalid_search_q',
    expects: `a string of at most ${WORDS_LENGTH_MAX} characters`,
    text: 'text',
  }),
});
