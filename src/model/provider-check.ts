/** Checks that embedders and rerankers have in common. */
import { ApiError } from '../core/errors.ts';
import { isHttpUrl } from '../core/http-url.ts';
import type { Json } from '../core/json.ts';
import { limits } from '../core/limits.ts';

const COUNT_MAX = {
  embedders: limits.embeddersPerIndexMax,
  rerankers: limits.rerankersPerIndexMax,
};

/** Settings that hold providers by name. */
export type ProviderSetting = keyof typeof COUNT_MAX;

export interface ProviderField<Source extends string> {
  readonly sources: readonly Source[];
  readonly mandatoryFor?: readonly Source[];
}

/** @param path of the member, for example `default.url` */
export const refuseProvider = (setting: ProviderSetting, path: string, problem: string): ApiError =>
  new ApiError(`invalid_settings_${setting}`, `\`${setting}.${path}\` ${problem}.`);

/** @param holds how the message says it */
export function checkProviderCount(
  setting: ProviderSetting,
  count: number,
  holds: 'holds' | 'would hold',
): void {
  const max = COUNT_MAX[setting];
  if (count <= max) return;
  throw new ApiError(
    `invalid_settings_${setting}`,
    `\`${setting}\` ${holds} ${count} ${setting}; at most ${max} are allowed.`,
  );
}

export function checkProviderUrl(setting: ProviderSetting, path: string, url: unknown): void {
  if (typeof url !== 'string' || isHttpUrl(url)) return;
  throw refuseProvider(
    setting,
    `${path}.url`,
    'is not a URL that begins with `http://` or `https://`',
  );
}

/** Names of local models become names of folders, and parts of addresses of a model hub. */
const MODEL_NAME = /^\w[\w.-]{0,95}(\/\w[\w.-]{0,95})?$/;
const REVISION = /^\w[\w.-]{0,95}$/;

/** The fault of a member of a local embedder or reranker; null = none. */
function modelNameProblem(member: string, value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (member === 'model' && !MODEL_NAME.test(value))
    return 'is not the name of a model, such as `BAAI/bge-base-en-v1.5`';
  if (member === 'revision' && !REVISION.test(value))
    return 'is not the name of a branch, tag or commit';
  return null;
}

interface Provider<Source extends string> {
  readonly setting: ProviderSetting;
  /** For example `default`. */
  readonly path: string;
  readonly source: Source;
  readonly members: Json;
}

/** @throws ApiError for a member that does not go with the source, or that is missing */
export function checkProviderMembers<Field extends string, Source extends string>(
  { setting, path, source, members }: Provider<Source>,
  fields: Readonly<Record<Field, ProviderField<Source>>>,
): void {
  const refuse = (member: string, problem: string): ApiError =>
    refuseProvider(setting, `${path}.${member}`, problem);
  const given = Object.entries(members).filter(([, value]) => (value ?? null) !== null);
  for (const [member, value] of given) {
    if (member === 'source') continue;
    const { sources } = fields[member as Field];
    if (!sources.includes(source))
      throw refuse(
        member,
        `does not go with the source \`${source}\`, only with ${sources.join(', ')}`,
      );
    const problem = source === 'huggingFace' ? modelNameProblem(member, value) : null;
    if (problem !== null) throw refuse(member, problem);
  }
  for (const [member, field] of Object.entries<ProviderField<Source>>(fields))
    if (field.mandatoryFor?.includes(source) && (members[member] ?? null) === null)
      throw refuse(member, `is missing; the source \`${source}\` needs it`);
}
