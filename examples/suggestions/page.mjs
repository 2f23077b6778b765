/**
 * The page: a combobox (WAI-ARIA) with suggestions, and films as one types; clicks on films are sent
 * as events. Suggestions and films come by one request.
 */
const { host, apiKey, index } = await (await fetch('settings.json')).json();
const words = document.querySelector('#words');
const list = document.querySelector('#suggestions');
const count = document.querySelector('#count');
const found = document.querySelector('#found');

/** An anonymous user, for this tab alone. */
const user = crypto.randomUUID();
const SUGGESTIONS = 6;

const send = (path, body) =>
  fetch(host + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'x-ms-user-id': user,
      'meili-include-metadata': 'true',
    },
    body: JSON.stringify(body),
  }).then((answer) => answer.json());

function element(name, text, ...children) {
  const made = document.createElement(name);
  made.append(text, ...children);
  return made;
}

function filmItem({ id, title, year, overview }, position, queryUid) {
  const button = element(
    'button',
    element('strong', title),
    ` ${year} `,
    element('span', overview),
  );
  button.type = 'button';
  button.addEventListener('click', () => {
    const event = { eventType: 'click', eventName: 'Film chosen', indexUid: index, userId: user };
    void send('/events', { ...event, queryUid, objectId: String(id), position });
    count.textContent = `${title} was chosen`;
  });
  return element('li', button);
}

function option({ text, category }, number) {
  const item = element('div', text, category === null ? '' : element('small', ` in ${category}`));
  item.role = 'option';
  item.id = `suggestion-${number}`;
  item.ariaSelected = 'false';
  // The field keeps the focus.
  item.addEventListener('pointerdown', (event) => event.preventDefault());
  item.addEventListener('click', () => choose(text));
  item.dataset.text = text;
  return item;
}

let asked = 0;

/** @param isTyped true = with suggestions */
async function show(isTyped) {
  asked += 1;
  const number = asked;
  const q = words.value;
  const { results } = await send('/multi-search', {
    queries: [
      { indexUid: index, q },
      { indexUid: `${index}_suggestions`, q, limit: SUGGESTIONS },
    ],
  });
  // A later request is under way.
  if (number !== asked) return;
  const [{ hits, estimatedTotalHits, metadata }, suggested] = results;
  found.replaceChildren(...hits.map((film, i) => filmItem(film, i, metadata.queryUid)));
  count.textContent = `${estimatedTotalHits} films`;
  open(isTyped && q.trim() !== '' ? suggested.hits.map(option) : []);
}

/** A suggestion that was selected before a late answer stays selected. */
function open(options) {
  const selected = list.children[chosen()]?.dataset.text;
  list.replaceChildren(...options);
  list.hidden = options.length === 0;
  words.ariaExpanded = String(!list.hidden);
  select(options.findIndex(({ dataset }) => dataset.text === selected));
}

const chosen = () => [...list.children].findIndex((item) => item.ariaSelected === 'true');

function select(position) {
  for (const [i, item] of [...list.children].entries()) item.ariaSelected = String(i === position);
  if (position < 0) words.removeAttribute('aria-activedescendant');
  else words.setAttribute('aria-activedescendant', list.children[position].id);
}

function choose(text) {
  words.value = text;
  void show(false);
}

const KEYS = {
  ArrowDown: () => select((chosen() + 1) % list.children.length),
  ArrowUp: () => select((chosen() <= 0 ? list.children.length : chosen()) - 1),
  Enter: () => choose(list.children[chosen()]?.dataset.text ?? words.value),
  Escape: () => open([]),
};
words.addEventListener('keydown', (event) => {
  if (list.hidden || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});
words.addEventListener('input', () => {
  select(-1);
  void show(true);
});
words.addEventListener('blur', () => open([]));
await show(false);
