/** Start here: all routes as one array. */
import type { Route } from '../contract/route.ts';
import { backupRoutes } from './backups.ts';
import { chatRoutes } from './chats.ts';
import { compactionRoutes } from './compaction.ts';
import { documentationRoutes } from './docs.ts';
import { documentEditionRoutes } from './document-edition.ts';
import { documentRoutes } from './documents.ts';
import { exportRoutes } from './export.ts';
import { facetSearchRoutes } from './facet-search.ts';
import { featureRoutes } from './features.ts';
import { fieldRoutes } from './fields.ts';
import { indexRoutes } from './indexes.ts';
import { keyRoutes } from './keys.ts';
import { logRoutes } from './logs.ts';
import { metricsRoutes } from './metrics.ts';
import { multiSearchRoutes } from './multi-search.ts';
import { networkRoutes } from './network.ts';
import { renderTemplateRoutes } from './render-template.ts';
import { searchRoutes } from './search.ts';
import { searchPageRoutes } from './search-page.ts';
import { searchRuleRoutes } from './search-rules.ts';
import { settingsRoutes } from './settings.ts';
import { settingsPreviewRoutes } from './settings-preview.ts';
import { similarRoutes } from './similar.ts';
import { systemRoutes } from './system.ts';
import { taskRoutes } from './tasks.ts';
import { telemetryRoutes } from './telemetry.ts';
import { webhookRoutes } from './webhooks.ts';

export const routes: readonly Route[] = [
  ...searchRoutes,
  ...similarRoutes,
  ...searchRuleRoutes,
  ...facetSearchRoutes,
  ...multiSearchRoutes,
  ...documentRoutes,
  ...documentEditionRoutes,
  ...indexRoutes,
  ...fieldRoutes,
  ...settingsRoutes,
  ...settingsPreviewRoutes,
  ...renderTemplateRoutes,
  ...taskRoutes,
  ...compactionRoutes,
  ...backupRoutes,
  ...exportRoutes,
  ...keyRoutes,
  ...webhookRoutes,
  ...networkRoutes,
  ...chatRoutes,
  ...searchPageRoutes,
  ...systemRoutes,
  ...metricsRoutes,
  ...telemetryRoutes,
  ...logRoutes,
  ...featureRoutes,
  ...documentationRoutes(() => routes),
];
