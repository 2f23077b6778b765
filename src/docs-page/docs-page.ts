/**
 * The documentation in a browser: the search box, which loads all sections on first use and searches
 * while the user types, and a button that copies each block of code.
 */
import { DocsSearch, type DocsSection, type FoundSection } from './docs-search.ts';

const FOUND_MAX = 12;
const EXCERPT_CHARACTERS = 140;
const COPIED_MS = 1500;

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

let loading: Promise<DocsSearch> | null = null;

const load = async (): Promise<DocsSearch> =>
  new DocsSearch((await (await fetch(sectionsUrl)).json()) as readonly DocsSection[]);

const linkTo = ({ page, id }: DocsSection): string =>
  `${sectionsUrl.replace(/sections\.json$/, page === 'index' ? '../docs' : page)}#${id}`;

/** The words of a section around the first match. */
function excerptOf({ section: { text }, terms }: FoundSection): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const from = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - EXCERPT_CHARACTERS / 3);
  return text.slice(from, from + EXCERPT_CHARACTERS);
}

function itemOf(found: FoundSection): HTMLLIElement {
  const { section } = found;
  const item = document.createElement('li');
  const link = document.createElement('a');
  const excerpt = document.createElement('small');
  link.href = linkTo(section);
  link.textContent =
    section.heading === section.title ? section.title : `${section.title}: ${section.heading}`;
  excerpt.textContent = excerptOf(found);
  link.append(excerpt);
  item.append(link);
  return item;
}

function nothingItem(words: string): HTMLLIElement {
  const item = document.createElement('li');
  item.className = 'nothing';
  item.textContent = `Nothing found for “${words}”`;
  return item;
}

async function show(): Promise<void> {
  const words = input.value.trim();
  loading ??= load();
  const search = await loading;
  if (words !== input.value.trim()) return;
  const found = search.find(words, FOUND_MAX);
  const isNothing = found.length === 0 && words !== '';
  list.replaceChildren(...(isNothing ? [nothingItem(words)] : found.map(itemOf)));
  list.hidden = words === '';
  count.textContent =
    words === '' ? '' : `${found.length} ${found.length === 1 ? 'section' : 'sections'} found`;
}

/** Adds a button to a block of code. */
function addCopyButton(block: HTMLPreElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    const text = block.querySelector('code')?.textContent ?? '';
    void navigator.clipboard.writeText(text.trimEnd()).then(() => {
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, COPIED_MS);
    });
  });
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  frame.append(block, button);
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
// The clipboard exists only in secure contexts: https and the machine itself.
if (navigator.clipboard !== undefined)
  for (const block of document.querySelectorAll('pre')) addCopyButton(block);
