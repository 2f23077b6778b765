/** JSON texts of documents, whose numbers stay as they are written: `1.0` stays `1.0`. Pure. */
import { objectOf, parseJson } from '../../core/json.ts';
import { parseWithDigits } from '../../core/long-integers.ts';

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;
const isOpening = (token: string): boolean => token === '{' || token === '[';

/** The JSON text with two spaces of indentation. @param text valid JSON */
export function indentedJson(text: string): string {
  let out = '';
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '}' || token === ']') {
      depth -= 1;
      if (!isOpening(before)) out += line();
    } else if (isOpening(before) || before === ',') out += line();
    else if (before === ':') out += ' ';
    out += token;
    if (isOpening(token)) depth += 1;
    before = token;
  }
  return out;
}

/** The document, or why the text is none. */
export type DocumentOrFault =
  | { readonly document: Readonly<Record<string, unknown>> }
  | { readonly fault: string };

export function documentOfText(text: string, primaryKey: string | null): DocumentOrFault {
  let value: unknown;
  try {
    JSON.parse(text);
    value = parseWithDigits(text);
  } catch (error) {
    return { fault: `This is not valid JSON. ${(error as Error).message}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fault: 'A document is a JSON object: { … }.' };
  const document = value as Readonly<Record<string, unknown>>;
  if (primaryKey !== null && (document[primaryKey] ?? '') === '')
    return { fault: `The document needs a value for its primary key ${primaryKey}.` };
  return { document };
}

/** A document with the fields of another one and empty values of their types. */
export function emptyLike(document: Readonly<Record<string, unknown>>): string {
  const emptyOf = (value: unknown): unknown => {
    if (value === null) return '';
    if (Array.isArray(value)) return [];
    return { number: 0, boolean: false, object: {} }[typeof value as string] ?? '';
  };
  const fields = Object.entries(document).map(([name, value]) => [name, emptyOf(value)]);
  return JSON.stringify(Object.fromEntries(fields), null, 2);
}

/**
 * Member `_vectors` with the embeddings that the client provided, which a replaced document would
 * lose; null if there are none.
 * @param text the document with `retrieveVectors`
 */
export function providedVectors(text: string): string | null {
  const all = Object.entries(objectOf(objectOf(parseJson(text))['_vectors']));
  const provided = all.filter(([, vectors]) => objectOf(vectors)['regenerate'] === false);
  return provided.length === 0 ? null : JSON.stringify(Object.fromEntries(provided));
}

/** @param vectors of `providedVectors` @param text JSON of an object */
export function withVectors(text: string, vectors: string | null): string {
  if (vectors === null || Object.hasOwn(objectOf(parseJson(text)), '_vectors')) return text;
  const body = text.trimEnd().slice(0, -1).trimEnd();
  return `${body}${body.endsWith('{') ? '' : ','}"_vectors":${vectors}}`;
}
