/** Schemas of small routes: aliases, audit log, search of the documentation, logs, MCP. */
import Type, { type Static } from 'typebox';
import { closed, count, flag, IndexUid, oneOf, shortText, text } from './schema.ts';

export const AliasBody = closed({
  indexUid: Type.String({ ...IndexUid, missing: 'missing_index_uid' }),
});
export type AliasBody = Static<typeof AliasBody>;

const AUDIT = 'invalid_audit_log_parameter';

export const AuditLogQuery = closed(
  {
    from: Type.Optional(text(AUDIT, 'a day such as `2026-11-26`, or `next` of the page before')),
    limit: Type.Optional(count(AUDIT)),
  },
  { code: AUDIT },
);

const WORDS_LENGTH_MAX = 200;

export const DocsSearchQuery = closed({
  q: Type.String({
    ...shortText('invalid_search_q', WORDS_LENGTH_MAX),
    missing: 'invalid_search_q',
  }),
});

const target = Type.Optional(text('bad_request'));

export const LogStreamBody = closed({
  target,
  mode: Type.Optional(oneOf(['human', 'json', 'profile'], 'bad_request')),
  profileMemory: Type.Optional(flag('bad_request')),
});
export type LogStreamBody = Static<typeof LogStreamBody>;

export const LogLevelsBody = closed({ target });

export const McpQuery = closed({ allowWrites: Type.Optional(flag('bad_request')) });

/** Members are checked by the SDK of the protocol. */
export const McpBody = Type.Object(
  {},
  { code: 'bad_request', expects: 'an object of JSON-RPC', additionalProperties: true },
);
