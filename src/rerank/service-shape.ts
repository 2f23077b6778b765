/** Requests and answers of reranking services, by kind of service. */
import { ofSetting, RequestShape, ResponseShape, ShapeError } from '../core/rest-shape.ts';

export interface ServiceShape {
  request(query: string, documents: readonly string[]): unknown;
  /** Positions of documents with their scores. @throws ShapeError naming the path */
  read(answer: unknown): readonly ScoredPosition[];
}

/** Values as the service gives them. */
export interface ScoredPosition {
  readonly index: unknown;
  readonly score: unknown;
}

/**
 * `{model, query, documents}` → a list of `{index, relevance_score}`, as Cohere, Jina and Voyage
 * have it.
 * @param list name of the list in answers
 */
export const namedShape = (model: string, list: 'results' | 'data'): ServiceShape => ({
  request: (query, documents) => ({ model, query, documents }),
  read(answer) {
    const results = (answer as Readonly<Record<string, unknown>> | null)?.[list];
    if (!Array.isArray(results)) throw new ShapeError(`has no list of \`${list}\``);
    return results.map((result: { index?: unknown; relevance_score?: unknown } | null) => ({
      index: result?.index,
      score: result?.relevance_score,
    }));
  },
});

const SCORE = '{{score}}';
const INDEX = '{{index}}';

/**
 * A request by example with `{{query}}` and `["{{text}}", "{{..}}"]`; an answer by example with
 * `{{score}}` in a list, and `{{index}}` if the list is not in the order of the texts.
 * @throws ShapeError
 */
export function restShape(requestExample: unknown, responseExample: unknown): ServiceShape {
  const request = ofSetting(
    'request',
    () => new RequestShape(requestExample, '{{text}}', '{{query}}'),
  );
  const scores = ofSetting('response', () => new ResponseShape(responseExample, SCORE));
  if (!request.takesMany || !scores.givesMany)
    throw new ShapeError('`request` and `response` must both have `"{{..}}"`');
  const hasIndex = JSON.stringify(responseExample).includes(JSON.stringify(INDEX));
  const indexes = hasIndex
    ? ofSetting('response', () => new ResponseShape(responseExample, INDEX))
    : null;
  return {
    request: (query, documents) => request.fill(documents, query),
    read(answer) {
      const positions = indexes?.read(answer);
      return scores.read(answer).map((score, at) => ({
        index: positions === undefined ? at : positions[at],
        score,
      }));
    },
  };
}
