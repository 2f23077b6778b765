/** Schema of the listing of the audit log. */
import Type from 'typebox';
import { closed, count, text } from './schema.ts';

const CODE = 'invalid_audit_log_parameter';

export const AuditLogQuery = closed(
  {
    from: Type.Optional(text(CODE, 'a day such as `2026-11-26`, or `next` of the page before')),
    limit: Type.Optional(count(CODE)),
  },
  { code: CODE },
);
