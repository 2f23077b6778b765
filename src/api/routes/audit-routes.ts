/** The route of the audit log. */
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { AuditLogQuery } from '../../model/schemas/instance-schema.ts';
import { defineRoute, type Route } from '../contract/route.ts';

/** Lines of one page: 1 MB. */
const LINES_MAX = 1000;

export const auditRoutes: readonly Route[] = [
  defineRoute({
    id: 'audit.list',
    endpoint: 'GET /audit-log',
    action: 'audit.get',
    summary: 'List changes and refused authorizations, the newest first',
    query: AuditLogQuery,
    errors: ['feature_not_enabled'],
    handler: async ({ audit }, { query }) => {
      if (audit === null)
        throw new ApiError(
          'feature_not_enabled',
          'The audit log is off. Start the server with `--audit-log`.',
        );
      const { from = null } = query;
      const limit = Math.min(query.limit ?? limits.pageItemsDefault, LINES_MAX);
      const page = await audit.page(from, limit);
      if (page === null)
        throw new ApiError(
          'invalid_audit_log_parameter',
          `\`from\` is \`${from?.slice(0, 100)}\`, expected a day such as \`2026-11-26\`, or \`next\` of the page before.`,
        );
      const next = JSON.stringify(page.next);
      const json = `{"results":[${page.lines.join()}],"limit":${limit},"next":${next}}`;
      return { status: 200, bytes: Buffer.from(json) };
    },
  }),
];
