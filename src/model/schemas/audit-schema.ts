/** Schema of the listing of the audit log. */
import Type from 'typebox';
import { closed, count } from './schema.ts';

const CODE = 'invalid_audit_log_parameter';

export const AuditLogQuery = closed(
  {
    from: Type.Optional(
      Type.String({
        code: CODE,
        expects: 'a day such as `2026-11-26`, or `next` of the page before',
        text: 'text',
      }),
    ),
    limit: Type.Optional(count(CODE)),
  },
  { code: CODE },
);
