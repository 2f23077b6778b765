/** Page state in the fragment of its URL: `#/films?q=carol&page=2`. Pure. */

/** Titles of the views, in the order of the navigation. */
export const VIEWS = {
  search: 'Search',
  documents: 'Documents',
  tasks: 'Tasks',
  indexes: 'Indexes',
  settings: 'Settings',
  rules: 'Rules',
  analytics: 'Analytics',
  keys: 'Keys',
  backups: 'Backups',
  console: 'Console',
} as const;
export type View = keyof typeof VIEWS;

export interface PageAddress {
  readonly view: View;
  /** uid of the chosen index, null = none yet. */
  readonly index: string | null;
  /** State of the view, by names that the view defines. */
  readonly state: Readonly<Record<string, string>>;
}

const isView = (text: string | undefined): text is View =>
  text !== undefined && Object.hasOwn(VIEWS, text);

/** @param fragment with or without `#`; missing parts have their defaults */
export function pageAddressOf(fragment: string): PageAddress {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?', 2);
  const [first, second] = path.split('/').map(decodePart);
  const view = isView(first) ? first : 'search';
  return {
    view,
    index: second === undefined || second === '' ? null : second,
    state: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function fragmentOf({ view, index, state }: PageAddress): string {
  const said = Object.entries(state).filter(([, value]) => value !== '');
  const query = new URLSearchParams(said).toString();
  const path = index === null ? view : `${view}/${encodeURIComponent(index)}`;
  return `#/${path}${query === '' ? '' : `?${query}`}`;
}

/** Returns a text with invalid escapes unchanged. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
