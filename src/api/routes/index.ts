/** Start here: the whole HTTP surface as one array. */
import type { Route } from '../route.ts';
import { documentEditionRoutes } from './document-edition.ts';
import { documentRoutes } from './documents.ts';
import { facetSearchRoutes } from './facet-search.ts';
import { featureRoutes } from './features.ts';
import { indexRoutes } from './indexes.ts';
import { keyRoutes } from './keys.ts';
import { multiSearchRoutes } from './multi-search.ts';
import { searchRoutes } from './search.ts';
import { settingsRoutes } from './settings.ts';
import { systemRoutes } from './system.ts';
import { taskRoutes } from './tasks.ts';

export const routes: readonly Route[] = [
  ...searchRoutes,
  ...facetSearchRoutes,
  ...multiSearchRoutes,
  ...documentRoutes,
  ...documentEditionRoutes,
  ...indexRoutes,
  ...settingsRoutes,
  ...taskRoutes,
  ...keyRoutes,
  ...systemRoutes,
  ...featureRoutes,
];
