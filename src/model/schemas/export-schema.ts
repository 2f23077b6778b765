/** Schema of the export route. */
import Type from 'typebox';
import { anything, closed, mapOf, optional } from './schema.ts';

const size = Type.Union([Type.String(), Type.Integer({ minimum: 1 })]);

export const ExportBody = closed({
  url: Type.String({
    code: 'invalid_export_url',
    missing: 'invalid_export_url',
    expects: 'an absolute `http:` or `https:` URL of another instance',
  }),
  apiKey: optional(Type.String(), 'invalid_export_api_key', 'a string'),
  payloadSize: optional(size, 'invalid_export_payload_size', 'a size such as `24MiB`, bytes'),
  indexes: optional(
    mapOf(
      closed(
        {
          filter: Type.Optional(anything({ code: 'invalid_export_index_filter' })),
          overrideSettings: optional(
            Type.Boolean(),
            'invalid_export_index_override_settings',
            '`true` or `false`',
          ),
        },
        {
          code: 'invalid_export_indexes_patterns',
          expects: 'an object with `filter` and `overrideSettings`',
        },
      ),
      'bad_request',
      'an object of index uids or patterns such as `*`, each with `filter` and `overrideSettings`',
    ),
    'bad_request',
    'an object of index uids or patterns such as `*`, each with `filter` and `overrideSettings`',
  ),
});
