/**
 * Chat workspaces: provider, connection and prompts (api.md 27.1). Plain data, shared by fronts and
 * indexer.
 */
import { ApiError } from '../core/errors.ts';
import { isHttpUrl } from '../core/http-url.ts';
import { maskedOrNull } from '../core/mask-secret.ts';
import type { ChatWorkspaceUpdate } from './schemas/chat-schema.ts';
import { type Changed, isOtherOrigin, secretAfter } from './secret-origin.ts';

/** Default URL of a source, and its required settings. */
interface SourceFacts {
  /** null = the workspace must set one. */
  readonly baseUrl: string | null;
  readonly needs: readonly ('baseUrl' | 'deploymentId' | 'apiVersion')[];
}

const CHAT_SOURCES = {
  openAi: { baseUrl: 'https://api.openai.com/v1/', needs: [] },
  azureOpenAi: { baseUrl: null, needs: ['baseUrl', 'deploymentId', 'apiVersion'] },
  mistral: { baseUrl: 'https://api.mistral.ai/v1/', needs: [] },
  vLlm: { baseUrl: null, needs: ['baseUrl'] },
} as const satisfies Record<string, SourceFacts>;

export type ChatSource = keyof typeof CHAT_SOURCES;

export const DEFAULT_PROMPTS = {
  system:
    'You answer questions about what is stored in the indexes of a search engine. Search before you answer, as often as it takes, in short queries of a few words. Say only what the documents found support, and say so when they hold no answer. Answer in the language of the question.',
  searchDescription:
    'Searches one index and returns the best documents, a text for each. Search again with other words, another index or without a filter where the documents do not answer the question.',
  searchQParam:
    'The words to search for: the few that matter, in the language of the documents. Empty to get documents by the filter alone.',
  searchFilterParam:
    'A condition that the documents must meet, or null for none. It is written as `attribute OPERATOR value` with the operators =, !=, >, >=, <, <=, IN [a, b], `a TO b`, EXISTS, IS NULL, IS EMPTY, and joined by AND, OR, NOT and parentheses; values with spaces stand in double quotes. Only the attributes that are named for the index can be used.',
  searchIndexUidParam: 'The index to search.',
} as const;

export type ChatPrompts = Readonly<Record<keyof typeof DEFAULT_PROMPTS, string>>;

const TEXTS = ['orgId', 'projectId', 'apiVersion', 'deploymentId', 'baseUrl', 'apiKey'] as const;
type Texts = Readonly<Record<(typeof TEXTS)[number], string | null>>;

export interface ChatWorkspace extends Texts {
  readonly uid: string;
  readonly source: ChatSource;
  /** Prompts that differ from the defaults. */
  readonly prompts: Partial<ChatPrompts>;
}

export const newWorkspace = (uid: string): ChatWorkspace => ({
  uid,
  source: 'openAi',
  ...(Object.fromEntries(TEXTS.map((name) => [name, null])) as Texts),
  prompts: {},
});

/** A masked API key in the update keeps the stored key. Throws `ApiError`. */
export function changedWorkspace(
  before: ChatWorkspace,
  update: ChatWorkspaceUpdate,
): Changed<ChatWorkspace> {
  const texts = TEXTS.filter((name) => update[name] !== undefined);
  const after: ChatWorkspace = {
    ...before,
    ...Object.fromEntries(texts.map((name) => [name, update[name] ?? null])),
    source: update.source === undefined ? before.source : (update.source ?? 'openAi'),
    prompts: changedPrompts(before.prompts, update.prompts),
  };
  checkUrl(after.baseUrl);
  const missing = CHAT_SOURCES[after.source].needs.find((name) => after[name] === null);
  if (missing !== undefined)
    throw new ApiError(
      'bad_request',
      `\`${missing}\` is missing; chats with the source \`${after.source}\` need one.`,
    );
  const warnings: string[] = [];
  const apiKey = secretAfter({
    stored: before.apiKey,
    sent: update.apiKey,
    isMoved: isOtherOrigin(baseUrlOf(before), baseUrlOf(after)),
    member: 'apiKey',
    warnings,
  });
  return { value: { ...after, apiKey }, warnings };
}

export const baseUrlOf = ({ source, baseUrl }: Pick<ChatWorkspace, 'source' | 'baseUrl'>): string =>
  baseUrl ?? CHAT_SOURCES[source].baseUrl ?? '';

function changedPrompts(
  before: ChatWorkspace['prompts'],
  update: ChatWorkspaceUpdate['prompts'],
): ChatWorkspace['prompts'] {
  if (update === undefined) return before;
  const names = Object.keys(DEFAULT_PROMPTS) as (keyof ChatPrompts)[];
  const own = names.flatMap((name) => {
    const given = update?.[name];
    const text = given === undefined && update !== null ? before[name] : given;
    return text === undefined || text === null || text === DEFAULT_PROMPTS[name]
      ? []
      : [[name, text]];
  });
  return Object.fromEntries(own);
}

function checkUrl(url: string | null): void {
  if (url === null || isHttpUrl(url)) return;
  throw new ApiError(
    'invalid_chat_completion_base_api',
    `\`baseUrl\` is ${JSON.stringify(url.slice(0, 100))}, expected a URL that begins with \`http://\` or \`https://\`.`,
  );
}

export const promptsOf = ({ prompts }: ChatWorkspace): ChatPrompts => ({
  ...DEFAULT_PROMPTS,
  ...prompts,
});

/** All settings, including the secret in clear text. */
export function workspaceSettings(workspace: ChatWorkspace): Omit<ChatWorkspace, 'uid'> {
  const { uid: _, ...settings } = workspace;
  return { ...settings, prompts: promptsOf(workspace) };
}

export function maskedWorkspaceSettings(workspace: ChatWorkspace): Omit<ChatWorkspace, 'uid'> {
  return { ...workspaceSettings(workspace), apiKey: maskedOrNull(workspace.apiKey) };
}

export const chatNotFound = (uid: string): ApiError =>
  new ApiError('chat_not_found', `There is no chat workspace \`${uid}\`.`);
