/** Checks declared embedders as far as one request shows them: known sources, members allowed and mandatory for each, types. */
import { ApiError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

const CODE = 'invalid_settings_embedders';
const SOURCES = ['openAi', 'huggingFace', 'ollama', 'userProvided', 'rest', 'composite'] as const;
type Source = (typeof SOURCES)[number];
type Kind = 'string' | 'count' | 'boolean' | 'object' | 'json' | 'pooling';

interface MemberRule {
  readonly kind: Kind;
  readonly sources: readonly Source[];
  readonly mandatoryFor?: readonly Source[];
}

const REMOTE: readonly Source[] = ['openAi', 'ollama', 'rest'];
const TEMPLATED: readonly Source[] = ['openAi', 'huggingFace', 'ollama', 'rest'];

const members: ReadonlyMap<string, MemberRule> = new Map<string, MemberRule>([
  ['model', { kind: 'string', sources: ['openAi', 'huggingFace', 'ollama'], mandatoryFor: ['ollama'] }],
  ['revision', { kind: 'string', sources: ['huggingFace'] }],
  ['pooling', { kind: 'pooling', sources: ['huggingFace'] }],
  ['apiKey', { kind: 'string', sources: REMOTE }],
  [
    'dimensions',
    { kind: 'count', sources: ['openAi', 'ollama', 'userProvided', 'rest'], mandatoryFor: ['userProvided'] },
  ],
  ['documentTemplate', { kind: 'string', sources: TEMPLATED }],
  ['documentTemplateMaxBytes', { kind: 'count', sources: TEMPLATED }],
  ['url', { kind: 'string', sources: REMOTE, mandatoryFor: ['rest'] }],
  ['request', { kind: 'json', sources: ['rest'], mandatoryFor: ['rest'] }],
  ['response', { kind: 'json', sources: ['rest'], mandatoryFor: ['rest'] }],
  ['headers', { kind: 'object', sources: ['rest'] }],
  ['indexingFragments', { kind: 'object', sources: ['rest'] }],
  ['searchFragments', { kind: 'object', sources: ['rest'] }],
  ['searchEmbedder', { kind: 'object', sources: ['composite'], mandatoryFor: ['composite'] }],
  ['indexingEmbedder', { kind: 'object', sources: ['composite'], mandatoryFor: ['composite'] }],
  ['distribution', { kind: 'object', sources: SOURCES }],
  ['binaryQuantized', { kind: 'boolean', sources: SOURCES }],
]);

const POOLINGS = ['useModel', 'forceMean', 'forceCls'];
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const kinds: Readonly<Record<Kind, { readonly test: (value: unknown) => boolean; readonly expects: string }>> = {
  string: { test: (value) => typeof value === 'string', expects: 'a string' },
  count: { test: (value) => Number.isInteger(value) && Number(value) >= 1, expects: 'an integer of at least 1' },
  boolean: { test: (value) => typeof value === 'boolean', expects: '`true` or `false`' },
  object: { test: isObject, expects: 'an object' },
  json: { test: () => true, expects: 'JSON' },
  pooling: { test: (value) => POOLINGS.includes(String(value)), expects: POOLINGS.join(', ') },
};

const refuse = (path: string, problem: string): ApiError => new ApiError(CODE, `\`embedders.${path}\` ${problem}.`);

function sourceOf(name: string, embedder: Readonly<Record<string, unknown>>): Source | null {
  const value = embedder['source'];
  if (value === undefined || value === null) return null;
  const source = SOURCES.find((known) => known === value);
  if (source === undefined)
    throw refuse(`${name}.source`, `is ${JSON.stringify(value)}, expected one of ${SOURCES.join(', ')}`);
  return source;
}

function checkMember(name: string, member: string, value: unknown, source: Source | null): void {
  const rule = members.get(member);
  const path = `${name}.${member}`;
  if (rule === undefined) throw refuse(path, `is unknown; an embedder takes source, ${[...members.keys()].join(', ')}`);
  if (value === null) return;
  if (!kinds[rule.kind].test(value))
    throw refuse(path, `is ${JSON.stringify(value)}, expected ${kinds[rule.kind].expects}`);
  if (source !== null && !rule.sources.includes(source)) {
    throw refuse(path, `does not go with the source \`${source}\`, only with ${rule.sources.join(', ')}`);
  }
}

function checkEmbedder(name: string, embedder: Readonly<Record<string, unknown>>): void {
  const source = sourceOf(name, embedder);
  for (const [member, value] of Object.entries(embedder)) {
    if (member !== 'source') checkMember(name, member, value, source);
  }
  if (source === null) return;
  for (const [member, rule] of members) {
    if (rule.mandatoryFor?.includes(source) && (embedder[member] ?? null) === null) {
      throw refuse(`${name}.${member}`, `is missing; the source \`${source}\` needs it`);
    }
  }
}

/** @param embedders by name, as one request declares them; null = removed. @throws ApiError `invalid_settings_embedders` */
export function checkEmbedders(embedders: Readonly<Record<string, Readonly<Record<string, unknown>> | null>>): void {
  const entries = Object.entries(embedders);
  if (entries.length > limits.embeddersPerIndexMax) {
    throw new ApiError(
      CODE,
      `\`embedders\` holds ${entries.length} embedders; at most ${limits.embeddersPerIndexMax} are allowed.`,
    );
  }
  for (const [name, embedder] of entries) if (embedder !== null) checkEmbedder(name, embedder);
}
