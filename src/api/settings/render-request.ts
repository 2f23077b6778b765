/** Checks a request for a rendered template: members of its kinds, the named template. */

import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { givenMembers } from '../../core/is-given.ts';
import { isObject } from '../../core/json.ts';
import {
  DEFAULT_DOCUMENT_TEMPLATE,
  DEFAULT_TEMPLATE_BYTES_MAX,
  type EmbedderSettings,
} from '../../model/embedders/embedder-settings.ts';
import type { RenderInput, RenderTemplate } from '../../model/schemas/render-schema.ts';
import type { Settings } from '../../model/settings.ts';

/** The text of a template, and its use. */
export type NamedTemplate =
  | { readonly kind: 'text'; readonly template: string; readonly bytesMax: number }
  | {
      readonly kind: 'fragment';
      readonly template: unknown;
      /** null = inferred from the template. */
      readonly of: 'documents' | 'searches' | null;
    };

interface MemberRule {
  readonly mandatory: readonly string[];
  readonly optional?: readonly string[];
}

const TEMPLATE_MEMBERS: Readonly<Record<RenderTemplate['kind'], MemberRule>> = {
  documentTemplate: {
    mandatory: ['indexUid', 'embedder'],
    optional: ['documentTemplateMaxBytes'],
  },
  chatDocumentTemplate: { mandatory: ['indexUid'], optional: ['documentTemplateMaxBytes'] },
  indexingFragment: { mandatory: ['indexUid', 'embedder', 'fragment'] },
  searchFragment: { mandatory: ['indexUid', 'embedder', 'fragment'] },
  inlineDocumentTemplate: { mandatory: ['inline'], optional: ['documentTemplateMaxBytes'] },
  inlineFragment: { mandatory: ['inline'] },
};
const INPUT_MEMBERS: Readonly<Record<RenderInput['kind'], MemberRule>> = {
  indexDocument: { mandatory: ['indexUid', 'id'] },
  inlineDocument: { mandatory: ['inline'] },
  inlineSearch: { mandatory: ['inline'] },
};

const refuse = (code: ErrorCode, path: string, problem: string): ApiError =>
  new ApiError(code, `\`${path}\` ${problem}.`);

/** Throws `ApiError` `invalid_render_template`. */
export const checkTemplate = (template: RenderTemplate): void =>
  check('template', template, TEMPLATE_MEMBERS[template.kind], 'invalid_render_template');

/** Throws `ApiError` `invalid_render_input`. */
export function checkInput(input: RenderInput): void {
  check('input', input, INPUT_MEMBERS[input.kind], 'invalid_render_input');
  if (input.kind !== 'indexDocument' && !isObject(input.inline))
    throw refuse('invalid_render_input', 'input.inline', 'must be an object');
}

function check(
  name: 'template' | 'input',
  value: RenderTemplate | RenderInput,
  { mandatory, optional = [] }: MemberRule,
  code: ErrorCode,
): void {
  const given = Object.keys(givenMembers<object>(value));
  const missing = mandatory.find((member) => !given.includes(member));
  if (missing !== undefined)
    throw refuse(code, `${name}.${missing}`, `is missing; the kind \`${value.kind}\` needs it`);
  const known = ['kind', ...mandatory, ...optional];
  const foreign = given.find((member) => !known.includes(member));
  if (foreign !== undefined)
    throw refuse(code, `${name}.${foreign}`, `does not go with the kind \`${value.kind}\``);
}

/**
 * @param settings of the index that the template names; null for an inline template. Throws
 * `ApiError` `invalid_render_template`
 */
export function namedTemplate(template: RenderTemplate, settings: Settings | null): NamedTemplate {
  const { kind, documentTemplateMaxBytes: given, inline } = template;
  switch (kind) {
    case 'inlineDocumentTemplate':
      if (typeof inline !== 'string')
        throw refuse('invalid_render_template', 'template.inline', 'must be a string');
      return { kind: 'text', template: inline, bytesMax: given ?? DEFAULT_TEMPLATE_BYTES_MAX };
    case 'inlineFragment':
      return { kind: 'fragment', template: inline, of: null };
    case 'chatDocumentTemplate':
      return textOf(settings?.chat ?? {}, given);
    case 'documentTemplate': {
      const embedder = embedderOf(template, settings);
      const holder = embedder.indexingEmbedder ?? embedder;
      const hasOwn = holder.documentTemplate !== undefined;
      if (holder.source === 'userProvided' || (holder.indexingFragments !== undefined && !hasOwn))
        throw refuse('invalid_render_template', 'template.embedder', 'has no document template');
      return textOf(holder, given);
    }
    default:
      return fragmentOf(template, embedderOf(template, settings));
  }
}

function textOf(
  holder: Pick<EmbedderSettings, 'documentTemplate' | 'documentTemplateMaxBytes'>,
  bytesMax: number | null | undefined,
): NamedTemplate {
  return {
    kind: 'text',
    template: holder.documentTemplate ?? DEFAULT_DOCUMENT_TEMPLATE,
    bytesMax: bytesMax ?? holder.documentTemplateMaxBytes ?? DEFAULT_TEMPLATE_BYTES_MAX,
  };
}

function embedderOf({ embedder }: RenderTemplate, settings: Settings | null): EmbedderSettings {
  return memberOf(settings?.embedders, embedder, 'template.embedder');
}

function fragmentOf(
  { kind, fragment }: RenderTemplate,
  { indexingEmbedder, searchEmbedder, ...own }: EmbedderSettings,
): NamedTemplate {
  const isIndexing = kind === 'indexingFragment';
  const fragments = isIndexing
    ? (indexingEmbedder ?? own).indexingFragments
    : (searchEmbedder ?? own).searchFragments;
  const { value } = memberOf(fragments, fragment, 'template.fragment');
  return { kind: 'fragment', template: value, of: isIndexing ? 'documents' : 'searches' };
}

function memberOf<T>(
  members: Readonly<Record<string, T>> | undefined,
  name: string | null | undefined,
  path: string,
): T {
  const found =
    members !== undefined && typeof name === 'string' && Object.hasOwn(members, name)
      ? members[name]
      : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(members ?? {}).map((member) => `\`${member}\``);
  throw refuse(
    'invalid_render_template',
    path,
    `is ${JSON.stringify(name)}; there are ${known.join(', ') || 'none'}`,
  );
}
