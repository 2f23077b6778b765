/** Routes of experimental features: read and update. */
import { FeaturesUpdate } from '../../model/features.ts';
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { defineRoute, type Route } from '../contract/route.ts';

const getFeatures = defineRoute({
  id: 'features.get',
  method: 'GET',
  path: '/experimental-features',
  action: 'experimental.get',
  summary: 'Read which experimental features are enabled',
  query: NoQuery,
  handler: ({ features }) => ({ status: 200, json: features }),
});

const updateFeatures = defineRoute({
  id: 'features.update',
  method: 'PATCH',
  path: '/experimental-features',
  action: 'experimental.update',
  summary: 'Enable or disable experimental features',
  query: NoQuery,
  body: FeaturesUpdate,
  handler: async ({ indexer }, { body }) => ({
    status: 200,
    json: await indexer.request('updateFeatures', body),
  }),
});

export const featureRoutes: readonly Route[] = [getFeatures, updateFeatures];
