/** The setting `chat` of an index: what chats are told of it, and how they search it (api.md 27.1). */
import {
  DEFAULT_DOCUMENT_TEMPLATE,
  DEFAULT_TEMPLATE_BYTES_MAX,
} from './embedders/embedder-settings.ts';
import type { ChatSettingUpdate } from './schemas/chat-setting-schema.ts';
import type { MatchingStrategy } from './search.ts';

/** Parameters of each search that a chat makes; those that are absent are as in any search. */
export interface ChatSearchParameters {
  readonly hybrid?: { readonly embedder: string; readonly semanticRatio?: number };
  readonly limit?: number;
  readonly sort?: readonly string[];
  readonly distinct?: string;
  readonly matchingStrategy?: MatchingStrategy;
  readonly attributesToSearchOn?: readonly string[];
  readonly rankingScoreThreshold?: number;
}

export interface ChatSetting {
  /** For the model: what the documents are. */
  readonly description: string;
  /** Makes the text of a document that the model reads. */
  readonly documentTemplate: string;
  /** Of that text, in UTF-8. */
  readonly documentTemplateMaxBytes: number;
  readonly searchParameters: ChatSearchParameters;
}

const DEFAULT_CHAT_SETTING: ChatSetting = {
  description: '',
  documentTemplate: DEFAULT_DOCUMENT_TEMPLATE,
  documentTemplateMaxBytes: DEFAULT_TEMPLATE_BYTES_MAX,
  searchParameters: {},
};

/** What is kept: the members that were set, null where none was. */
export type StoredChatSetting = Partial<ChatSetting> | null;

export const chatSettingOf = (stored: StoredChatSetting): ChatSetting => ({
  ...DEFAULT_CHAT_SETTING,
  ...stored,
});

/** Members merge, those of `searchParameters` too; null resets one. */
export function mergedChatSetting(
  stored: StoredChatSetting,
  update: ChatSettingUpdate,
): StoredChatSetting {
  const { searchParameters: given, ...others } = update;
  const searchParameters =
    given === undefined || given === null
      ? given
      : orNull(withoutNulls({ ...stored?.searchParameters, ...given }));
  return orNull(
    withoutNulls({
      ...stored,
      ...others,
      ...(searchParameters !== undefined && { searchParameters }),
    }),
  );
}

const withoutNulls = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

const orNull = (members: object): object | null =>
  Object.keys(members).length === 0 ? null : members;
