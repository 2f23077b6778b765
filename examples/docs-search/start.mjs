/** `npm run example:docs-search`: the documentation of Gannet, searched section by section by itself. */
import { renderDocumentation } from '../../scripts/lib/documentation.mjs';
import { isStarted, ROOT, runExample } from '../lib/start-example.mjs';

/** One document a section; its address is the page with the anchor. */
function sections() {
  return renderDocumentation(ROOT).sections.map(
    ({ page, title, id: anchor, heading, text }, id) => {
      const path = page === 'index' ? '/docs' : `/docs/${page}`;
      return { id, title, heading, text, address: `${path}#${anchor}` };
    },
  );
}

export const docsSearch = {
  folder: import.meta.dirname,
  index: 'sections',
  port: 3001,
  documents: sections(),
  settings: {
    searchableAttributes: ['heading', 'title', 'text'],
    filterableAttributes: ['title'],
    displayedAttributes: ['title', 'heading', 'text', 'address'],
    rankingRules: ['words', 'typo', 'attributeRank', 'proximity', 'wordPosition', 'exactness'],
    inflections: ['eng'],
  },
};

if (isStarted(import.meta)) await runExample(docsSearch);
