/** The route of metrics collects once for requests that arrive together. */
import { expect, it } from 'vitest';
import { metricsRoutes } from '../../../src/api/routes/system-routes.ts';
import { FULL_ACCESS } from '../../../src/auth/access.ts';
import { NO_FEATURES } from '../../../src/model/features.ts';
import { counter } from '../../../src/observability/metric.ts';
import { createFakeApiContext } from '../../support/fake-api-context.ts';

it('shares a collection that is under way', async () => {
  let count = 0;
  const indexer = { isInitialised: true, request: async () => [[counter('n', 'N', ++count)]] };
  const features = { ...NO_FEATURES, metrics: true };
  const context = { ...createFakeApiContext(), features, indexer };
  const scrapes = () =>
    Promise.all(
      [1, 2, 3].map(async () => {
        const request = { access: FULL_ACCESS } as never;
        const answer = await metricsRoutes[0]?.handler(context as never, request);
        return answer !== undefined && 'bytes' in answer ? String(answer.bytes) : '';
      }),
    );
  const text = (n: number) => `# HELP n N\n# TYPE n counter\nn ${n}\n`;
  expect(await scrapes()).toEqual([text(1), text(1), text(1)]);
  expect(await scrapes()).toEqual([text(2), text(2), text(2)]);
});
