/** Start here: all routes as one array. */
import type { Route } from '../contract/route.ts';
import { aliasRoutes } from './aliases-routes.ts';
import { analyticsRoutes } from './analytics-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { chatRoutes } from './chats-routes.ts';
import { comparisonRoutes } from './comparison-routes.ts';
import { documentationRoutes } from './docs-routes.ts';
import { documentEditRoutes } from './document-edit-routes.ts';
import { documentRoutes } from './documents-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { facetSearchRoutes } from './facet-search-routes.ts';
import { featureRoutes } from './features-routes.ts';
import { fingerprintRoutes } from './fingerprint-routes.ts';
import { fieldRoutes, indexRoutes } from './indexes-routes.ts';
import { keyRoutes } from './keys-routes.ts';
import { logRoutes } from './logs-routes.ts';
import { backupRoutes, compactionRoutes } from './maintenance-routes.ts';
import { mcpRoutes } from './mcp-routes.ts';
import { multiSearchRoutes } from './multi-search-routes.ts';
import { networkRoutes } from './network-routes.ts';
import { renderTemplateRoutes } from './render-template-routes.ts';
import { searchPageRoutes } from './search-page-routes.ts';
import { searchRoutes } from './search-routes.ts';
import { searchRuleRoutes } from './search-rules-routes.ts';
import { settingsPreviewRoutes } from './settings-preview-routes.ts';
import { settingsRoutes } from './settings-routes.ts';
import { similarRoutes } from './similar-routes.ts';
import { metricsRoutes, systemRoutes, telemetryRoutes } from './system-routes.ts';
import { taskRoutes } from './tasks-routes.ts';
import { webhookRoutes } from './webhooks-routes.ts';

export const routes: readonly Route[] = [
  ...searchRoutes,
  ...similarRoutes,
  ...searchRuleRoutes,
  ...facetSearchRoutes,
  ...multiSearchRoutes,
  ...analyticsRoutes,
  ...auditRoutes,
  ...documentRoutes,
  ...documentEditRoutes,
  ...indexRoutes,
  ...comparisonRoutes,
  ...aliasRoutes,
  ...fieldRoutes,
  ...fingerprintRoutes,
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
  ...mcpRoutes,
  ...documentationRoutes(() => routes),
];
