/** Schema of the search of the documentation. */
import Type from 'typebox';
import { closed, shortText } from './schema.ts';

const WORDS_LENGTH_MAX = 200;

export const DocsSearchQuery = closed({
  q: Type.String({
    ...shortText('invalid_search_q', WORDS_LENGTH_MAX),
    missing: 'invalid_search_q',
  }),
});
