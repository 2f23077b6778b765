/** State of the documents view, its form in the URL, and the requests made from it. Pure. */

export interface DocumentsState {
  /** Filter expression as typed. */
  readonly filter: string;
  /** `field:asc`, '' = in the order of addition. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
  /** Id of the open document, '' = none. */
  readonly id: string;
}

export const PAGE_SIZE = 20;

export const documentsStateOf = (state: Readonly<Record<string, string>>): DocumentsState => ({
  filter: state['filter'] ?? '',
  sort: state['sort'] ?? '',
  page: Math.max(1, Math.floor(Number(state['page'])) || 1),
  id: state['id'] ?? '',
});

export const documentsAddressOf = ({ filter, sort, page, id }: DocumentsState) => ({
  filter,
  sort,
  page: page === 1 ? '' : String(page),
  id,
});

/** Body of the request for a page of documents. */
export const pageRequestOf = ({ filter, sort, page }: DocumentsState): Record<string, unknown> => ({
  offset: (page - 1) * PAGE_SIZE,
  limit: PAGE_SIZE,
  ...(filter.trim() !== '' && { filter }),
  ...(sort !== '' && { sort: [sort] }),
});

/** Fields for the columns of a table: the key first, then those that most documents have first. */
export function columnsOf(
  documents: readonly Readonly<Record<string, unknown>>[],
  primaryKey: string | null,
  limit: number,
): readonly string[] {
  const names = new Set(documents.flatMap((document) => Object.keys(document)));
  const others = [...names].filter((name) => name !== primaryKey && !name.startsWith('_'));
  const isTitle = (name: string) => (/^(?:title|name)$/i.test(name) ? 0 : 1);
  others.sort((left, right) => isTitle(left) - isTitle(right));
  return [...(primaryKey === null ? [] : [primaryKey]), ...others].slice(0, limit);
}
