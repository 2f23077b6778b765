/** Renders a document to the text that is embedded: a Liquid template over `doc` and `fields`. */
import type { Json } from '../../core/json.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import {
  type ParsedTemplate,
  parseTemplate,
  type RenderLimit,
  renderTemplate,
  TemplateError,
} from './liquid-engine.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class DocumentTemplate {
  readonly #template: ParsedTemplate;
  readonly #bytesMax: number;

  private constructor(template: ParsedTemplate, bytesMax: number) {
    this.#template = template;
    this.#bytesMax = bytesMax;
  }

  /** @param bytesMax of the text, in UTF-8 @throws TemplateError when it does not parse */
  static parse(text: string, bytesMax: number): DocumentTemplate {
    return new DocumentTemplate(parseTemplate(text), bytesMax);
  }

  /**
   * @param isSearchable value of `is_searchable` of a top-level field
   * @throws TemplateError when it fails on this document
   */
  render(document: Json, isSearchable: (field: string) => boolean, limit?: RenderLimit): string {
    const variables = templateVariables(document, isSearchable);
    return cut(renderTemplate(this.#template, variables, this.#bytesMax, limit), this.#bytesMax);
  }

  /** As `render`; null when it fails, for example because the document lacks a field. */
  renderOrNull(...given: Parameters<DocumentTemplate['render']>): string | null {
    try {
      return this.render(...given);
    } catch (error) {
      if (error instanceof TemplateError) return null;
      throw error;
    }
  }
}

/** Template variables of a document; `fields` in the document's own order. */
function templateVariables(document: Json, isSearchable: (field: string) => boolean): object {
  const members = Object.entries(document).filter(([name]) => name !== VECTORS_FIELD);
  const fields = members.map(([name, value]) => ({
    name,
    value,
    is_searchable: isSearchable(name),
  }));
  return { doc: Object.fromEntries(members), fields };
}

/** At most `bytesMax` bytes, whole characters. */
function cut(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax) return text;
  const bytes = encoder.encode(text);
  if (bytes.length <= bytesMax) return text;
  let end = bytesMax;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return decoder.decode(bytes.subarray(0, end));
}

/** Whether settings make a top-level field searchable. */
export const isSearchableIn =
  (searchableAttributes: readonly string[]) =>
  (field: string): boolean =>
    searchableAttributes.includes('*') || searchableAttributes.includes(field);
