/** Requests about the audit log that are refused. */
import { get, type RouteErrorCase } from './refused-request.ts';

const CODE = 'invalid_audit_log_parameter';

export const auditErrors: readonly RouteErrorCase[] = [
  { ...get('audit.list', '/audit-log', 'feature_not_enabled'), isGuarded: true },
  ...['from=yesterday', 'from=', 'limit=-1', 'limit=x', 'offset=1'].map((text) =>
    get('audit.list', `/audit-log?${text}`, CODE),
  ),
];
