/** Routes of experimental features: read and update. */
import { FeaturesUpdate } from '../../model/features.ts';
import { defineRoute, type Route } from '../contract/route.ts';

export const featureRoutes: readonly Route[] = [
  defineRoute({
    id: 'features.get',
    endpoint: 'GET /experimental-features',
    action: 'experimental.get',
    summary: 'Read which experimental features are enabled',
    handler: ({ features }) => ({ status: 200, json: features }),
  }),
  defineRoute({
    id: 'features.update',
    endpoint: 'PATCH /experimental-features',
    action: 'experimental.update',
    summary: 'Enable or disable experimental features',
    body: FeaturesUpdate,
    handler: async ({ indexer }, { body }) => ({
      status: 200,
      json: await indexer.request('updateFeatures', body),
    }),
  }),
];
