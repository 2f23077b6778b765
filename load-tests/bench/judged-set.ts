/** Documents, queries and human judgments of a set, and how good a list of hits is by them. */
import { join } from 'node:path';
import { linesOf } from './data-files.ts';

type Id = number | string;

interface Text {
  readonly id: Id;
  readonly title?: string;
  readonly text: string;
}

export interface JudgedQuery {
  readonly q: string;
  /** Its place among all queries of the set. */
  readonly place: number;
  /** Gain of each judged document. */
  readonly gains: ReadonlyMap<Id, number>;
}

export interface JudgedSet {
  readonly documents: readonly Text[];
  /** Those with a document that is right. */
  readonly queries: readonly JudgedQuery[];
}

const textsOf = (path: string): Text[] => linesOf(path).map((line) => JSON.parse(line) as Text);

/** @param folder with docs, queries and qrels */
export function readJudgedSet(folder: string): JudgedSet {
  const documents = textsOf(join(folder, 'docs.ndjson.gz'));
  const idOf = new Map(documents.map(({ id }) => [String(id), id]));
  const judged = new Map<string, Map<Id, number>>();
  for (const line of linesOf(join(folder, 'qrels.tsv')).slice(1)) {
    const [query = '', document = '', gain] = line.split('\t');
    const gains = judged.get(query) ?? new Map<Id, number>();
    judged.set(query, gains.set(idOf.get(document) ?? document, Number(gain)));
  }
  const queries = textsOf(join(folder, 'queries.ndjson.gz')).flatMap(({ id, text: q }, place) => {
    const gains = judged.get(String(id));
    return gains && Math.max(...gains.values()) > 0 ? [{ q, place, gains }] : [];
  });
  return { documents, queries };
}

export const NDCG_HITS = 10;

const discounted = (gains: readonly number[]): number =>
  gains.slice(0, NDCG_HITS).reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);

/** nDCG@10 */
export function ndcg(ids: readonly Id[], gains: ReadonlyMap<Id, number>): number {
  const ideal = discounted([...gains.values()].sort((a, b) => b - a));
  return discounted(ids.map((id) => gains.get(id) ?? 0)) / ideal;
}

/** Share of the right documents that are among the hits. */
export function recall(ids: readonly Id[], gains: ReadonlyMap<Id, number>): number {
  const right = [...gains].filter(([, gain]) => gain > 0).map(([id]) => id);
  const found = new Set(ids);
  return right.filter((id) => found.has(id)).length / right.length;
}
