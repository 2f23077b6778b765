/** The page of the shop: InstantSearch widgets over the unchanged adapter. */
import { instantMeiliSearch } from '@meilisearch/instant-meilisearch';
import instantsearch from 'instantsearch.js';
import {
  clearRefinements,
  configure,
  hits,
  pagination,
  rangeInput,
  refinementList,
  searchBox,
  sortBy,
  stats,
  toggleRefinement,
} from 'instantsearch.js/es/widgets';

const { host, apiKey, index } = await (await fetch('settings.json')).json();
const { searchClient } = instantMeiliSearch(host, apiKey, {
  primaryKey: 'id',
  finitePagination: true,
});
const search = instantsearch({ indexName: index, searchClient, routing: true });

const euros = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' });

const product = (hit, { html, components }) => html`
  <article class="product">
    <svg viewBox="0 0 4 2" role="img" aria-label=${hit.colour}>
      <rect width="4" height="2" fill=${hit.shade} />
    </svg>
    <div>
      <h2>${components.Highlight({ hit, attribute: 'name', highlightedTagName: 'mark' })}</h2>
      <p>${hit.maker}, ${hit.rating} of 5</p>
      <p class="price">${euros.format(hit.price)}</p>
      <p>${hit.isInStock ? 'in stock' : 'sold out'}</p>
    </div>
  </article>
`;

const facet = (container, attribute, options = {}) =>
  refinementList({ container, attribute, operator: 'or', sortBy: ['name:asc'], ...options });

search.addWidgets([
  configure({ hitsPerPage: 12 }),
  searchBox({ container: '#search', placeholder: 'What are you looking for?' }),
  stats({
    container: '#stats',
    templates: { text: ({ nbHits }) => `${nbHits} ${nbHits === 1 ? 'product' : 'products'}` },
  }),
  facet('#category', 'category'),
  facet('#colour', 'colour'),
  facet('#maker', 'maker'),
  rangeInput({ container: '#price', attribute: 'price' }),
  toggleRefinement({
    container: '#stock',
    attribute: 'isInStock',
    templates: { labelText: () => 'In stock only' },
  }),
  clearRefinements({ container: '#clear', templates: { resetLabel: () => 'All products' } }),
  sortBy({
    container: '#sort',
    items: [
      { value: index, label: 'Best match' },
      { value: `${index}:price:asc`, label: 'Cheapest first' },
      { value: `${index}:price:desc`, label: 'Dearest first' },
      { value: `${index}:rating:desc`, label: 'Best rated first' },
    ],
  }),
  hits({
    container: '#hits',
    templates: { item: product, empty: () => 'Nothing fits all of that.' },
  }),
  pagination({ container: '#pages' }),
]);
search.start();

/** Names for fields that the widgets leave without one. */
const NAMES = {
  '.ais-RangeInput-input--min': 'Price from',
  '.ais-RangeInput-input--max': 'Price to',
  '.ais-SortBy-select': 'Order',
};
search.on('render', () => {
  for (const [selector, name] of Object.entries(NAMES))
    document.querySelector(selector)?.setAttribute('aria-label', name);
});
