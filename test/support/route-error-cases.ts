/** Every request that the front refuses without asking anybody, with its code: the list behind several tests. */

import { analyticsErrors } from './route-errors/analytics-errors.ts';
import { auditErrors } from './route-errors/audit-errors.ts';
import { chatErrors } from './route-errors/chat-errors.ts';
import { documentErrors } from './route-errors/document-errors.ts';
import { indexErrors } from './route-errors/index-errors.ts';
import { instanceErrors } from './route-errors/instance-errors.ts';
import { keyErrors } from './route-errors/key-errors.ts';
import type { RouteErrorCase } from './route-errors/refused-request.ts';
import { searchErrors } from './route-errors/search-errors.ts';
import { searchRuleErrors } from './route-errors/search-rule-errors.ts';
import { settingsErrors } from './route-errors/settings-errors.ts';
import { taskErrors } from './route-errors/task-errors.ts';

export const routeErrorCases: readonly RouteErrorCase[] = [
  ...searchErrors,
  ...searchRuleErrors,
  ...documentErrors,
  ...indexErrors,
  ...settingsErrors,
  ...taskErrors,
  ...keyErrors,
  ...instanceErrors,
  ...chatErrors,
  ...analyticsErrors,
  ...auditErrors,
];
