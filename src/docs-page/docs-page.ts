/**
 * The search box of the documentation: loads all sections on first use and searches while the user
 * types.
 */
import MiniSearch from 'minisearch';

interface Section {
  readonly page: string;
  readonly title: string;
  readonly id: string;
  readonly heading: string;
  readonly text: string;
}

const FOUND_MAX = 12;
const EXCERPT_CHARACTERS = 140;

const element = <Kind extends HTMLElement>(selector: string): Kind => {
  const found = document.querySelector<Kind>(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
};

const box = element<HTMLElement>('search');
const input = element<HTMLInputElement>('search input');
const list = element<HTMLOListElement>('#found');
const count = element<HTMLElement>('#found-count');
/** URL of the sections file; the part before its name leads to the pages. */
const sectionsUrl = document.body.dataset['sections'] ?? '';

let loading: Promise<Search> | null = null;

interface Search {
  readonly sections: readonly Section[];
  readonly index: MiniSearch;
}

async function load(): Promise<Search> {
  const sections = (await (await fetch(sectionsUrl)).json()) as readonly Section[];
  const index = new MiniSearch({
    fields: ['heading', 'title', 'text'],
    searchOptions: {
      boost: { heading: 4, title: 2 },
      combineWith: 'AND',
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  index.addAll(sections.map((section, id) => ({ ...section, anchor: section.id, id })));
  return { sections, index };
}

const linkTo = ({ page, id }: Section): string =>
  `${sectionsUrl.replace(/sections\.json$/, page === 'index' ? '../docs' : page)}#${id}`;

/** The words of a section around the first match. */
function excerptOf({ text }: Section, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const from = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - EXCERPT_CHARACTERS / 3);
  return text.slice(from, from + EXCERPT_CHARACTERS);
}

function itemOf(section: Section, terms: readonly string[]): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const excerpt = document.createElement('small');
  link.href = linkTo(section);
  link.textContent =
    section.heading === section.title ? section.title : `${section.title}: ${section.heading}`;
  excerpt.textContent = excerptOf(section, terms);
  link.append(excerpt);
  item.append(link);
  return item;
}

async function show(): Promise<void> {
  const words = input.value.trim();
  loading ??= load();
  const { sections, index } = await loading;
  if (words !== input.value.trim()) return;
  const found = words === '' ? [] : index.search(words).slice(0, FOUND_MAX);
  list.replaceChildren(
    ...found.flatMap(({ id, terms }) => {
      const section = sections[id as number];
      return section === undefined ? [] : [itemOf(section, terms)];
    }),
  );
  list.hidden = found.length === 0;
  count.textContent =
    words === '' ? '' : `${found.length} ${found.length === 1 ? 'section' : 'sections'} found`;
}

box.hidden = false;
input.addEventListener('focus', () => void show());
input.addEventListener('input', () => void show());
list.addEventListener('click', () => {
  list.hidden = true;
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') list.hidden = true;
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  input.focus();
});
