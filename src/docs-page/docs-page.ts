/**
 * The documentation in a browser: the search box, which asks the server while the user types, and a
 * button that copies each block of code.
 */

/** What the server accepts. */
const WORDS_LENGTH_MAX = 200;
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
/** Address of the search; the part before its name leads to the pages. */
const searchUrl = document.body.dataset['search'] ?? '';

interface FoundSection {
  readonly page: string;
  readonly title: string;
  readonly heading: string;
  /** Id of the section on its page. */
  readonly anchor: string;
  readonly _formatted: { readonly text: string };
}

const linkTo = ({ page, anchor }: FoundSection): string =>
  `${searchUrl.replace(/search$/, page === 'index' ? '../docs' : page)}#${anchor}`;

function itemOf(found: FoundSection): HTMLLIElement {
  const { title, heading } = found;
  const item = document.createElement('li');
  const link = document.createElement('a');
  const excerpt = document.createElement('small');
  link.href = linkTo(found);
  link.textContent = heading === title ? title : `${title}: ${heading}`;
  excerpt.textContent = found._formatted.text;
  link.append(excerpt);
  item.append(link);
  return item;
}

function noteItem(text: string): HTMLLIElement {
  const item = document.createElement('li');
  item.className = 'nothing';
  item.textContent = text;
  return item;
}

/** null when the server cannot answer. */
async function sectionsWith(words: string): Promise<readonly FoundSection[] | null> {
  try {
    const answer = await fetch(`${searchUrl}?q=${encodeURIComponent(words)}`);
    if (!answer.ok) return null;
    return ((await answer.json()) as { readonly hits: readonly FoundSection[] }).hits;
  } catch {
    return null;
  }
}

const countOf = (found: readonly FoundSection[] | null): string =>
  found === null ? '' : `${found.length} ${found.length === 1 ? 'section' : 'sections'} found`;

async function show(): Promise<void> {
  const words = input.value.trim().slice(0, WORDS_LENGTH_MAX);
  if (words === '') {
    list.hidden = true;
    count.textContent = '';
    return;
  }
  const found = await sectionsWith(words);
  if (words !== input.value.trim().slice(0, WORDS_LENGTH_MAX)) return;
  if (found === null) list.replaceChildren(noteItem('The server does not answer.'));
  else if (found.length === 0) list.replaceChildren(noteItem(`Nothing found for “${words}”`));
  else list.replaceChildren(...found.map(itemOf));
  list.hidden = !box.contains(document.activeElement);
  count.textContent = countOf(found);
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
/** Closes the list when the user goes on elsewhere on the page. */
const leave = ({ target }: Event): void => {
  if (!box.contains(target as Node)) list.hidden = true;
};
document.addEventListener('focusin', leave);
document.addEventListener('pointerdown', leave);
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') list.hidden = true;
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  input.focus();
});
// A wide table scrolls by itself on a narrow screen, also with the keyboard.
for (const table of document.querySelectorAll<HTMLTableElement>('main table'))
  if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
// The clipboard exists only in secure contexts: https and the machine itself.
if (navigator.clipboard !== undefined)
  for (const block of document.querySelectorAll('pre')) addCopyButton(block);
