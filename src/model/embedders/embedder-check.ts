/**
 * Validates an embedder of a request or of a merge: source, allowed and required members, types.
 */

import { ApiError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import {
  EMBEDDER_FIELDS,
  EMBEDDER_SOURCES,
  type EmbedderField,
  type EmbedderPlace,
  type EmbedderSource,
  POOLINGS,
  sourcesIn,
} from './embedder-settings.ts';
import { OPENAI_MODELS, openAiDimensions, takesDimensions } from './openai-models.ts';

/** An embedder in a request: absent members stay unchanged, null resets one. */
export type EmbedderUpdate = Readonly<Record<string, unknown>>;

const FRAGMENTS_MAX = 256;
/** Members whose values are not shown in messages. */
const SECRET: readonly string[] = ['apiKey', 'headers'];
/** Characters of a refused value in a message. */
const SHOWN_CHARS_MAX = 200;

/** @param path of the member, for example `default.url` */
export const refuseEmbedder = (path: string, problem: string): ApiError =>
  new ApiError('invalid_settings_embedders', `\`embedders.${path}\` ${problem}.`);

const isFragment = (value: unknown): boolean =>
  value === null || (isObject(value) && 'value' in value && Object.keys(value).length === 1);

/** True for valid HTTP header names and values (Latin 1). */
const isHeader = ([name, value]: readonly [string, unknown]): boolean =>
  /^[!#$%&'*+.^_`|~\w-]+$/.test(name) &&
  typeof value === 'string' &&
  /^[\t\x20-\x7e\x80-\xff]*$/.test(value);

type Kind = (typeof EMBEDDER_FIELDS)[EmbedderField]['kind'];
interface KindRule {
  readonly test: (value: unknown) => boolean;
  readonly expects: string;
}

const kinds: Readonly<Record<Kind, KindRule>> = {
  text: { test: (value) => typeof value === 'string', expects: 'a string' },
  count: {
    test: (value) => Number.isSafeInteger(value) && Number(value) >= 1,
    expects: 'an integer of at least 1',
  },
  dimensions: {
    test: (value) =>
      Number.isInteger(value) && Number(value) >= 1 && Number(value) <= limits.vectorDimensionsMax,
    expects: `an integer from 1 to ${limits.vectorDimensionsMax}`,
  },
  flag: { test: (value) => typeof value === 'boolean', expects: '`true` or `false`' },
  json: { test: () => true, expects: 'JSON' },
  headers: {
    test: (value) => isObject(value) && Object.entries(value).every(isHeader),
    expects:
      'an object of HTTP headers: tokens as names, strings without control characters as values',
  },
  fragments: {
    test: (value) =>
      isObject(value) &&
      Object.keys(value).length <= FRAGMENTS_MAX &&
      Object.values(value).every(isFragment),
    expects: `an object of at most ${FRAGMENTS_MAX} fragments, each \`{"value": …}\` or null`,
  },
  pooling: {
    test: (value) => (POOLINGS as readonly unknown[]).includes(value),
    expects: `one of ${POOLINGS.join(', ')}`,
  },
  distribution: {
    test: (value) =>
      isObject(value) &&
      Object.keys(value).every((name) => name === 'mean' || name === 'sigma') &&
      Number.isFinite(value['mean']) &&
      Number.isFinite(value['sigma']) &&
      Number(value['sigma']) > 0,
    expects: '`{"mean": number, "sigma": number above 0}`',
  },
  embedder: { test: isObject, expects: 'an object' },
};

/**
 * @param path name of the embedder, followed by the place of a nested embedder
 * @param source of the stored embedder, if the update has none; null = unknown
 * @throws ApiError `invalid_settings_embedders`
 */
export function checkEmbedder(
  path: string,
  update: EmbedderUpdate,
  source: EmbedderSource | null = null,
  place: EmbedderPlace = 'whole',
): void {
  const own = sourceOf(path, update['source'], place) ?? source;
  for (const [member, value] of Object.entries(update))
    if (member !== 'source') checkMember(`${path}.${member}`, member, value, own, place);
  if (own !== null) checkMandatory(path, update, own);
  if (own === 'openAi') checkOpenAiDimensions(path, update);
}

function sourceOf(path: string, value: unknown, place: EmbedderPlace): EmbedderSource | null {
  const allowed = sourcesIn(place);
  const source = EMBEDDER_SOURCES.find((known) => known === value) ?? null;
  const isAbsent = value === undefined || value === null;
  if (isAbsent && place === 'whole') return null;
  if (isAbsent) throw refuseEmbedder(`${path}.source`, 'is missing; a nested embedder needs it');
  if (source === null || !allowed.includes(source))
    throw refuseEmbedder(
      `${path}.source`,
      `is ${shown(value)}, expected one of ${allowed.join(', ')}`,
    );
  return source;
}

function checkMember(
  path: string,
  member: string,
  value: unknown,
  source: EmbedderSource | null,
  place: EmbedderPlace,
): void {
  if (!Object.hasOwn(EMBEDDER_FIELDS, member)) {
    const known = Object.keys(EMBEDDER_FIELDS).join(', ');
    throw refuseEmbedder(path, `is unknown; an embedder takes source, ${known}`);
  }
  const { kind, sources, notIn = [] } = EMBEDDER_FIELDS[member as EmbedderField];
  if (value === null) return;
  if (!kinds[kind].test(value))
    throw refuseEmbedder(
      path,
      SECRET.includes(member)
        ? `is something else than ${kinds[kind].expects}`
        : `is ${shown(value)}, expected ${kinds[kind].expects}`,
    );
  if (source !== null && !sources.includes(source))
    throw refuseEmbedder(
      path,
      `does not go with the source \`${source}\`, only with ${sources.join(', ')}`,
    );
  if (member === 'model' && source === 'openAi' && !OPENAI_MODELS.includes(String(value)))
    throw refuseEmbedder(path, `is ${shown(value)}, expected one of ${OPENAI_MODELS.join(', ')}`);
  if (notIn.includes(place)) throw refuseEmbedder(path, `does not go into \`${place}\``);
  if (member === 'searchEmbedder' || member === 'indexingEmbedder')
    checkEmbedder(path, value as EmbedderUpdate, null, member);
}

function checkMandatory(path: string, update: EmbedderUpdate, source: EmbedderSource): void {
  for (const [member, { mandatoryFor }] of Object.entries(EMBEDDER_FIELDS)) {
    if (mandatoryFor?.includes(source) && (update[member] ?? null) === null)
      throw refuseEmbedder(`${path}.${member}`, `is missing; the source \`${source}\` needs it`);
  }
}

/** Without a model in the update, the stored model is checked after the merge. */
function checkOpenAiDimensions(path: string, { model, dimensions }: EmbedderUpdate): void {
  if (typeof model !== 'string' || typeof dimensions !== 'number') return;
  const native = openAiDimensions(model) ?? dimensions;
  if (dimensions === native || (dimensions < native && takesDimensions(model))) return;
  const allowed = takesDimensions(model) ? `at most ${native}` : `${native}`;
  throw refuseEmbedder(
    `${path}.dimensions`,
    `is ${dimensions}; the model \`${model}\` gives ${allowed}`,
  );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`;
}
