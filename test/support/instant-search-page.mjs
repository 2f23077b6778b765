/**
 * The script of a search page as a user of the InstantSearch adapter writes it; esbuild bundles it for the browser.
 * `window.SETTINGS` says which server, with which key and which page; `window.drive` moves what has no handle on the page.
 */
import { instantMeiliSearch } from '@meilisearch/instant-meilisearch';
import instantsearch from 'instantsearch.js';
import { connectGeoSearch } from 'instantsearch.js/es/connectors';
import {
  configure,
  hits,
  index,
  infiniteHits,
  pagination,
  rangeInput,
  refinementList,
  searchBox,
  sortBy,
  stats,
} from 'instantsearch.js/es/widgets';

const { host, apiKey, layout, hitsPerPage, films: INDEX, people: PEOPLE } = window.SETTINGS;

const { searchClient } = instantMeiliSearch(host, apiKey, {
  primaryKey: 'id',
  finitePagination: layout === 'pages',
});
const search = instantsearch({ indexName: INDEX, searchClient });

const templates = {
  item: (hit, { html, components }) => html`
    <article data-id="${hit.id}">
      <h2>${components.Highlight({ hit, attribute: 'title' })}</h2>
      <p>${components.Snippet({ hit, attribute: 'overview' })}</p>
    </article>
  `,
};

/** A map without a picture: `drive` moves it, and it lists what lies on it. */
const map = connectGeoSearch(({ items, refine, clearMapRefinement, widgetParams }) => {
  Object.assign(window.drive, { moveMap: refine, leaveMap: clearMapRefinement });
  const pins = items.map(({ id, _geoloc: { lat, lng } }) => {
    const pin = document.createElement('li');
    Object.assign(pin.dataset, { id, lat, lng });
    return pin;
  });
  document.querySelector(widgetParams.container).replaceChildren(...pins);
});

const around = [];
window.drive = {
  searchAround(place, radius) {
    around.push(configure({ aroundLatLng: place, aroundRadius: radius }));
    search.addWidgets(around);
  },
  searchAnywhere() {
    search.removeWidgets(around.splice(0));
  },
};

/** Everything a page of results may have. */
const pages = () => [
  hits({ container: '#hits', templates }),
  pagination({ container: '#pages' }),
  refinementList({
    container: '#genres',
    attribute: 'genres',
    operator: 'and',
    searchable: true,
    limit: 20,
  }),
  refinementList({ container: '#countries', attribute: 'country', operator: 'or' }),
  rangeInput({ container: '#years', attribute: 'year' }),
  sortBy({
    container: '#sort',
    items: [
      { value: INDEX, label: 'best' },
      { value: `${INDEX}:year:asc`, label: 'oldest' },
      { value: `${INDEX}:country:desc,title:asc`, label: 'by country' },
      { value: `${INDEX}:_geoPoint(48.85, 2.35):asc`, label: 'nearest to Paris' },
    ],
  }),
  map({ container: '#map' }),
];

/** Hits that go on, and a second index under the same search box. */
const endless = () => [
  infiniteHits({ container: '#hits', templates }),
  index({ indexName: PEOPLE }).addWidgets([
    hits({
      container: '#people',
      templates: {
        item: (hit, { components }) => components.Highlight({ hit, attribute: 'name' }),
      },
    }),
  ]),
];

search.addWidgets([
  configure({ hitsPerPage, attributesToSnippet: ['overview:6'] }),
  searchBox({ container: '#search', autofocus: true }),
  stats({ container: '#stats', templates: { text: ({ nbHits }) => String(nbHits) } }),
  ...(layout === 'pages' ? pages() : endless()),
]);
search.start();
