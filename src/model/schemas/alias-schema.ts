/** Schemas of the alias routes. */
import Type, { type Static } from 'typebox';
import { closed, IndexUid } from './schema.ts';

export const AliasBody = closed({
  indexUid: Type.String({ ...IndexUid, missing: 'missing_index_uid' }),
});
export type AliasBody = Static<typeof AliasBody>;
