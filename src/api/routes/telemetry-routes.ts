/** The preview of the next telemetry report. */
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { defineRoute, type Route } from '../contract/route.ts';

const previewTelemetry = defineRoute({
  id: 'telemetry.preview',
  method: 'GET',
  path: '/telemetry/preview',
  action: 'telemetry.get',
  summary: 'Preview the next telemetry report and its target',
  query: NoQuery,
  handler: async ({ indexer }) => ({
    status: 200,
    json: await indexer.request('previewTelemetry', {}),
  }),
});

export const telemetryRoutes: readonly Route[] = [previewTelemetry];
