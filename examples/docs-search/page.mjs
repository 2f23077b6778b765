/** The page: asks at every keystroke, shows sections with what was met in them, moves by arrow keys. */
import { Meilisearch } from 'meilisearch';

/** Characters that no document holds, so that its own markup stays text. */
const MARK = { start: '\u{e000}', end: '\u{e001}' };

const { host, apiKey, index } = await (await fetch('settings.json')).json();
const sections = new Meilisearch({ host, apiKey }).index(index);
const words = document.querySelector('#words');
const count = document.querySelector('#count');
const found = document.querySelector('#found');

const PARAMETERS = {
  limit: 12,
  // Sentences and questions are met by some of their words.
  matchingStrategy: 'any',
  attributesToHighlight: ['title', 'heading', 'text'],
  attributesToCrop: ['text'],
  cropLength: 24,
  highlightPreTag: MARK.start,
  highlightPostTag: MARK.end,
};

/** Text with what was met in it as elements. */
function marked(text) {
  const parts = text.split(new RegExp(`${MARK.start}(.*?)${MARK.end}`, 'su'));
  return parts.map((part, place) => {
    if (place % 2 === 0) return part;
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
}

function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

function itemOf({ address, _formatted: { title, heading, text } }) {
  const link = element(
    'a',
    element('strong', ...marked(heading)),
    ' ',
    element('small', ...marked(title)),
    element('span', ...marked(text)),
  );
  link.href = host + address;
  return element('li', link);
}

const linksOf = (list) => [...list.querySelectorAll('a')];

let asked = 0;

async function show() {
  asked += 1;
  const number = asked;
  const query = words.value;
  const { hits, estimatedTotalHits } = await sections.search(query, PARAMETERS);
  // An answer that came late is about words that are no longer there.
  if (number !== asked) return;
  const place = linksOf(found).indexOf(document.activeElement);
  found.replaceChildren(...(query === '' ? [] : hits.map(itemOf)));
  // The link that had the focus is gone.
  if (place !== -1) (linksOf(found)[place] ?? words).focus();
  count.textContent = query === '' ? '' : `${estimatedTotalHits} sections`;
  history.replaceState(null, '', query === '' ? '.' : `?q=${encodeURIComponent(query)}`);
}

words.addEventListener('input', show);
document.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const stops = [words, ...linksOf(found)];
  stops[(stops.indexOf(document.activeElement) + step + stops.length) % stops.length]?.focus();
  event.preventDefault();
});

words.value = new URLSearchParams(location.search).get('q') ?? '';
await show();
