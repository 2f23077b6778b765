/** Schema of updates of the setting `chat`: absent members stay unchanged, null resets. */
import Type, { type Static } from 'typebox';
import { MATCHING_STRATEGIES } from '../search.ts';
import { closed, oneOf, optional, ratio, strings, wholeNumber } from './schema.ts';

const CHAT = 'invalid_settings_index_chat';
export const ChatSettingUpdate = closed(
  {
    description: optional(Type.String(), CHAT, 'a text about the documents'),
    documentTemplate: optional(
      Type.String(),
      'invalid_chat_setting_document_template',
      'a Liquid template',
    ),
    documentTemplateMaxBytes: optional(wholeNumber(1), CHAT, 'an integer of at least 1'),
    searchParameters: optional(
      closed(
        {
          hybrid: optional(
            closed(
              { embedder: Type.String(), semanticRatio: Type.Optional(ratio(CHAT)) },
              { code: CHAT },
            ),
            CHAT,
            'an object with `embedder`',
          ),
          limit: optional(wholeNumber(), CHAT, 'a non-negative integer'),
          sort: optional(strings(CHAT), CHAT, 'an array of strings'),
          distinct: optional(Type.String(), CHAT, 'an attribute name'),
          matchingStrategy: optional(
            oneOf(MATCHING_STRATEGIES, CHAT),
            CHAT,
            MATCHING_STRATEGIES.map((name) => `\`${name}\``).join(', '),
          ),
          attributesToSearchOn: optional(strings(CHAT), CHAT, 'an array of strings'),
          rankingScoreThreshold: optional(ratio(CHAT), CHAT, 'a number from 0.0 to 1.0'),
        },
        { code: CHAT },
      ),
      CHAT,
      'an object of search parameters',
    ),
  },
  { code: CHAT },
);
export type ChatSettingUpdate = Static<typeof ChatSettingUpdate>;
