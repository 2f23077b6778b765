/** The route that lists the fields of an index. */
import { limits } from '../../core/limits.ts';
import { FieldListBody } from '../../model/field-list.ts';
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { defineRoute, QUERY_ERRORS, type Route } from '../contract/route.ts';
import { readIndex, requireIndex } from '../searches/index-reader.ts';

const listFields = defineRoute({
  id: 'fields.post',
  method: 'POST',
  path: '/indexes/:indexUid/fields',
  action: 'fields.post',
  summary: 'List the fields of an index with their settings',
  query: NoQuery,
  body: FieldListBody,
  errors: ['index_not_found', ...QUERY_ERRORS],
  handler: async (context, { params, body, caller }) => {
    const request = {
      offset: body.offset ?? 0,
      limit: body.limit ?? limits.pageItemsDefault,
      filter: body.filter ?? {},
    };
    const index = requireIndex(context, params.indexUid);
    const bytes = await readIndex(context, index, { kind: 'fields', request }, caller);
    return { status: 200, bytes };
  },
});

export const fieldRoutes: readonly Route[] = [listFields];
