/** Schema of updates of the setting `chat`: absent members stay unchanged, null resets. */
import Type, { type Static, type TSchema } from 'typebox';
import type { ErrorCode } from '../../core/error-codes.ts';
import { MATCHING_STRATEGIES } from '../search.ts';
import { closed, nullable, oneOf, ratio, strings, wholeNumber } from './schema.ts';

const member = <T extends TSchema>(schema: T, code: ErrorCode, expects: string) =>
  Type.Optional(nullable(schema, code, expects));

const CHAT = 'invalid_settings_index_chat';
export const ChatSettingUpdate = closed(
  {
    description: member(Type.String(), CHAT, 'a text about the documents'),
    documentTemplate: member(
      Type.String(),
      'invalid_chat_setting_document_template',
      'a Liquid template',
    ),
    documentTemplateMaxBytes: member(wholeNumber(1), CHAT, 'an integer of at least 1'),
    searchParameters: member(
      closed(
        {
          hybrid: member(
            closed(
              { embedder: Type.String(), semanticRatio: Type.Optional(ratio(CHAT)) },
              { code: CHAT },
            ),
            CHAT,
            'an object with `embedder`',
          ),
          limit: member(wholeNumber(), CHAT, 'a non-negative integer'),
          sort: member(strings(CHAT), CHAT, 'an array of strings'),
          distinct: member(Type.String(), CHAT, 'an attribute name'),
          matchingStrategy: member(
            oneOf(MATCHING_STRATEGIES, CHAT),
            CHAT,
            MATCHING_STRATEGIES.map((name) => `\`${name}\``).join(', '),
          ),
          attributesToSearchOn: member(strings(CHAT), CHAT, 'an array of strings'),
          rankingScoreThreshold: member(ratio(CHAT), CHAT, 'a number from 0.0 to 1.0'),
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
