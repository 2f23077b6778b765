/**
 * The index setting `chat`: the description of the index for models, and the parameters of their
 * searches (api.md 27.1).
 */
import { givenMembers } from '../core/is-given.ts';
import {
  DEFAULT_DOCUMENT_TEMPLATE,
  DEFAULT_TEMPLATE_BYTES_MAX,
} from './embedders/embedder-settings.ts';
import type { ChatSettingUpdate } from './schemas/chat-setting-schema.ts';
import { SEMANTIC_RATIO_DEFAULT } from './search.ts';

type WithoutNulls<T> = { readonly [K in keyof T]: Exclude<T[K], null> };

/** Parameters of each search in a chat; absent ones have the defaults of searches. */
type ChatSearchParameters = WithoutNulls<NonNullable<ChatSettingUpdate['searchParameters']>>;

export interface ChatSetting {
  /** Describes the documents to the model. */
  readonly description: string;
  /** Renders the text of a document for the model. */
  readonly documentTemplate: string;
  /** UTF-8 bytes of that text. */
  readonly documentTemplateMaxBytes: number;
  readonly searchParameters: ChatSearchParameters;
}

const DEFAULT_CHAT_SETTING: ChatSetting = {
  description: '',
  documentTemplate: DEFAULT_DOCUMENT_TEMPLATE,
  documentTemplateMaxBytes: DEFAULT_TEMPLATE_BYTES_MAX,
  searchParameters: {},
};

/** Only the members that were set; null if none. */
export type StoredChatSetting = Partial<ChatSetting> | null;

export const chatSettingOf = (stored: StoredChatSetting): ChatSetting => ({
  ...DEFAULT_CHAT_SETTING,
  ...stored,
});

/** The update with the ratio of a hybrid search that names none. */
export function completedChatSetting(update: ChatSettingUpdate): ChatSettingUpdate {
  const hybrid = update.searchParameters?.hybrid;
  if (!hybrid) return update;
  const completed = { semanticRatio: SEMANTIC_RATIO_DEFAULT, ...hybrid };
  return { ...update, searchParameters: { ...update.searchParameters, hybrid: completed } };
}

/** Merges members, including those of `searchParameters`; null resets a member. */
export function mergedChatSetting(
  stored: StoredChatSetting,
  update: ChatSettingUpdate,
): StoredChatSetting {
  const { searchParameters: given, ...others } = update;
  const searchParameters =
    given === undefined || given === null
      ? given
      : orNull(givenMembers({ ...stored?.searchParameters, ...given }));
  return orNull(
    givenMembers({
      ...stored,
      ...others,
      ...(searchParameters !== undefined && { searchParameters }),
    }),
  );
}

const orNull = (members: object): object | null =>
  Object.keys(members).length === 0 ? null : members;
