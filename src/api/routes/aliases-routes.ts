/** Routes of aliases: list, read, create or flip, delete. */
import { requireReach } from '../../auth/authorize.ts';
import { aliasNotFound } from '../../model/alias.ts';
import { IndexListQuery } from '../../model/schemas/index-schema.ts';
import { AliasBody } from '../../model/schemas/instance-schema.ts';
import { offsetPage } from '../contract/offset-page.ts';
import { checkedUid } from '../contract/path-uid.ts';
import { defineRoute, type Route } from '../contract/route.ts';

/** @throws ApiError `invalid_alias_name` */
const nameOf = ({ alias }: { readonly alias: string }): string =>
  checkedUid(alias, 'name of an alias', 'invalid_alias_name');

export const aliasRoutes: readonly Route[] = [
  defineRoute({
    id: 'aliases.list',
    endpoint: 'GET /aliases',
    action: 'indexes.get',
    summary: 'List aliases in order of name',
    query: IndexListQuery,
    handler: ({ aliases }, { access, query }) => {
      const all = aliases.list.filter(({ indexUid }) => access.reaches(indexUid));
      return offsetPage(all, query, (alias) => alias);
    },
  }),
  defineRoute({
    id: 'aliases.get',
    endpoint: 'GET /aliases/:alias',
    action: 'indexes.get',
    summary: 'Read one alias',
    errors: ['invalid_alias_name', 'alias_not_found'],
    handler: ({ aliases }, { access, params }) => {
      const name = nameOf(params);
      const alias = aliases.get(name);
      if (alias === null || !access.reaches(alias.indexUid)) throw aliasNotFound(name);
      return { status: 200, json: alias };
    },
  }),
  defineRoute({
    id: 'aliases.put',
    endpoint: 'PUT /aliases/:alias',
    action: 'indexes.update',
    summary: 'Create an alias of an index, or point it to another index at once',
    body: AliasBody,
    errors: ['invalid_alias_name', 'index_not_found', 'index_already_exists'],
    handler: async ({ indexer }, { access, params, body: { indexUid } }) => {
      const name = nameOf(params);
      requireReach(access, name);
      requireReach(access, indexUid);
      return { status: 200, json: await indexer.request('putAlias', { name, indexUid }) };
    },
  }),
  defineRoute({
    id: 'aliases.delete',
    endpoint: 'DELETE /aliases/:alias',
    action: 'indexes.update',
    summary: 'Delete an alias; its index stays',
    errors: ['invalid_alias_name', 'alias_not_found'],
    handler: async ({ indexer, aliases }, { access, params }) => {
      const name = nameOf(params);
      const alias = aliases.get(name);
      if (alias === null || !access.reaches(alias.indexUid)) throw aliasNotFound(name);
      await indexer.request('deleteAlias', { name });
      return { status: 204 };
    },
  }),
];
