/** Guards of experimental features. */
import { ApiError } from '../../core/errors.ts';
import type { Feature } from '../../model/features.ts';

/** @param subject of the message. @throws ApiError that names the feature */
export function requireFeature<Name extends Feature>(
  features: Readonly<Record<Name, boolean>>,
  feature: Name,
  subject = 'This route',
): void {
  if (features[feature]) return;
  throw new ApiError(
    'feature_not_enabled',
    `${subject} needs the experimental feature \`${feature}\`; it is off.`,
  );
}
