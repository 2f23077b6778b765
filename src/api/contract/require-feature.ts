/** Guards routes of experimental features. */
import { ApiError } from '../../core/errors.ts';
import type { Feature, Features } from '../../model/features.ts';

/** @throws ApiError that names the feature */
export function requireFeature(features: Features, feature: Feature): void {
  if (features[feature]) return;
  throw new ApiError(
    'feature_not_enabled',
    `This route needs the experimental feature \`${feature}\`; it is off.`,
  );
}
