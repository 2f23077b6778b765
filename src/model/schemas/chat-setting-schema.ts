/** Schema of updates of the setting `chat`: absent members stay unchanged, null resets. */
import Type, { type Static } from 'typebox';
import { MATCHING_STRATEGIES } from '../search.ts';
import { closed, count, oneOf, optional, ratio, strings, text } from './schema.ts';

const CHAT = 'invalid_settings_index_chat';
export const ChatSettingUpdate = closed(
  {
    description: optional(text(CHAT, 'a text about the documents')),
    // The code of the text is that of templates that do not parse.
    documentTemplate: optional(
      text('invalid_chat_setting_document_template', 'a Liquid template'),
      {
        code: CHAT,
      },
    ),
    documentTemplateMaxBytes: optional(count(CHAT, 1)),
    searchParameters: optional(
      closed(
        {
          hybrid: optional(
            closed(
              { embedder: Type.String(), semanticRatio: Type.Optional(ratio(CHAT)) },
              { code: CHAT, expects: 'an object with `embedder`' },
            ),
          ),
          limit: optional(count(CHAT)),
          sort: optional(strings(CHAT)),
          distinct: optional(text(CHAT, 'an attribute name')),
          matchingStrategy: optional(oneOf(MATCHING_STRATEGIES, CHAT)),
          attributesToSearchOn: optional(strings(CHAT)),
          rankingScoreThreshold: optional(ratio(CHAT)),
        },
        { code: CHAT, expects: 'an object of search parameters' },
      ),
    ),
  },
  { code: CHAT },
);
export type ChatSettingUpdate = Static<typeof ChatSettingUpdate>;
