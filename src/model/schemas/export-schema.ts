/** Schema of the export route. */
import Type from 'typebox';
import { anything, closed, flag, mapOf, optional, text } from './schema.ts';

const size = Type.Union([Type.String(), Type.Integer({ minimum: 1 })], {
  code: 'invalid_export_payload_size',
  expects: 'a size such as `24MiB`, bytes',
});

export const ExportBody = closed({
  url: Type.String({
    code: 'invalid_export_url',
    missing: 'invalid_export_url',
    expects: 'an absolute `http:` or `https:` URL of another instance',
  }),
  apiKey: optional(text('invalid_export_api_key')),
  payloadSize: optional(size),
  indexes: optional(
    mapOf(
      closed(
        {
          filter: Type.Optional(anything({ code: 'invalid_export_index_filter' })),
          overrideSettings: Type.Optional(flag('invalid_export_index_override_settings')),
        },
        { code: 'bad_request', expects: 'an object with `filter` and `overrideSettings`' },
      ),
      'bad_request',
      'an object of index uids or patterns such as `*`, each with `filter` and `overrideSettings`',
    ),
  ),
});
