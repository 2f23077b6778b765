/** Experimental features: which are on, and turning them on and off while the server runs. */
import { ApiError } from '../../core/errors.ts';
import { FEATURES, FeaturesUpdate, OFFERED_FEATURES } from '../../model/features.ts';
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { defineRoute, type Route } from '../contract/route.ts';

function checkOffered(update: FeaturesUpdate): void {
  const missing = FEATURES.find(
    (name) => update[name] === true && !OFFERED_FEATURES.includes(name),
  );
  if (missing === undefined) return;
  const offered = OFFERED_FEATURES.map((name) => `\`${name}\``).join(', ');
  throw new ApiError(
    'feature_not_enabled',
    `\`${missing}\` cannot be turned on: this version does not offer it. It offers ${offered}.`,
  );
}

const getFeatures = defineRoute({
  id: 'features.get',
  method: 'GET',
  path: '/experimental-features',
  action: 'experimental.get',
  summary: 'Which experimental features are on',
  query: NoQuery,
  errors: [],
  handler: ({ features }) => ({ status: 200, json: features }),
});

const updateFeatures = defineRoute({
  id: 'features.update',
  method: 'PATCH',
  path: '/experimental-features',
  action: 'experimental.update',
  summary: 'Turn experimental features on or off',
  query: NoQuery,
  body: FeaturesUpdate,
  errors: ['feature_not_enabled'],
  handler: async ({ indexer }, { body }) => {
    checkOffered(body);
    return { status: 200, json: await indexer.request('updateFeatures', body) };
  },
});

export const featureRoutes: readonly Route[] = [getFeatures, updateFeatures];
