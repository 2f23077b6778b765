/** The embedding inputs of a document and of a search, by the settings of an embedder. */
import type { Json } from '../../core/json.ts';
import {
  DEFAULT_DOCUMENT_TEMPLATE,
  DEFAULT_TEMPLATE_BYTES_MAX,
  type EmbedderSettings,
  type Fragment,
} from '../../model/embedders/embedder-settings.ts';
import { EmbeddingError, type EmbeddingInput, type QueryInput } from '../embedder.ts';
import { DocumentTemplate } from './document-template.ts';
import { FragmentTemplate } from './fragment-template.ts';
import { sampleVariable } from './liquid-engine.ts';

/** One input of a document, which gives one vector. */
export interface DocumentInput {
  /** Name of the fragment; null = the text of the document template. */
  readonly fragment: string | null;
  readonly input: EmbeddingInput;
}

interface DocumentContent {
  /**
   * One input, or one for each fragment that applies, in the order of the settings.
   * @throws TemplateError
   */
  inputsOf(document: Json, isSearchable: (field: string) => boolean): readonly DocumentInput[];
}

/**
 * @param settings of an embedder that makes vectors itself; the indexing embedder of a composite
 * one counts
 * @throws TemplateError when a template does not parse
 */
export function documentContent(settings: EmbedderSettings): DocumentContent {
  const {
    documentTemplate = DEFAULT_DOCUMENT_TEMPLATE,
    documentTemplateMaxBytes = DEFAULT_TEMPLATE_BYTES_MAX,
    indexingFragments = {},
  } = settings.indexingEmbedder ?? settings;
  const fragments = parsed(indexingFragments);
  if (fragments.length > 0)
    return {
      inputsOf: (doc) =>
        fragments.flatMap(([fragment, template]) => {
          const input = template.render({ doc });
          return input === undefined ? [] : [{ fragment, input }];
        }),
    };
  const template = DocumentTemplate.parse(documentTemplate, documentTemplateMaxBytes);
  return {
    inputsOf: (document, isSearchable) => [
      { fragment: null, input: template.render(document, isSearchable) },
    ],
  };
}

/**
 * The input of a search: its text, or the single search fragment that applies to it. The returned
 * function throws `EmbeddingError` when there is no such text or fragment.
 */
export function queryContent(settings: EmbedderSettings): (query: QueryInput) => EmbeddingInput {
  const { searchFragments = {} } = settings.searchEmbedder ?? settings;
  const fragments = parsed(searchFragments);
  if (fragments.length === 0) return textOf;
  return ({ q, media }) => {
    const variables = { ...(q !== null && { q }), ...(media !== null && { media }) };
    const applying = fragments.flatMap(([name, template]) => {
      const input = template.render(variables);
      return input === undefined ? [] : [{ name, input }];
    });
    const [only, second] = applying;
    if (only !== undefined && second === undefined) return only.input;
    throw new EmbeddingError(
      only === undefined
        ? `None of the search fragments ${namesOf(fragments)} applies to \`q\` and \`media\`.`
        : `The search fragments ${namesOf(applying.map(({ name }) => [name]))} apply to \`q\` and \`media\`; exactly one must.`,
    );
  };
}

const SAMPLE_TEXT = 'test';

/**
 * Sample inputs to learn a provider's dimensions, the most likely to be accepted first: a text, or
 * fragments made of one. May be empty.
 * @param settings of an embedder that is not composite
 */
export function sampleInputs({
  searchFragments = {},
  indexingFragments = {},
}: EmbedderSettings): readonly EmbeddingInput[] {
  const [searching, indexing] = [parsed(searchFragments), parsed(indexingFragments)];
  if (searching.length + indexing.length === 0) return [SAMPLE_TEXT];
  const samples = [
    ...searching.map(([, template]) => template.render({ q: SAMPLE_TEXT })),
    ...indexing.map(([, template]) => template.render({ doc: sampleVariable(SAMPLE_TEXT) })),
  ];
  return samples.filter((input) => input !== undefined);
}

function textOf({ q, media }: QueryInput): string {
  if (media !== null)
    throw new EmbeddingError(
      'The embedder accepts only text: it has no search fragments for `media`.',
    );
  if (q === null) throw new EmbeddingError('There is no text to embed.');
  return q;
}

const parsed = (fragments: Readonly<Record<string, Fragment>>) =>
  Object.entries(fragments).map(
    ([name, { value }]) => [name, FragmentTemplate.parse(value)] as const,
  );

const namesOf = (named: readonly (readonly [string, ...unknown[]])[]): string =>
  named.map(([name]) => `\`${name}\``).join(', ');
