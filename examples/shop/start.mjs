/** `npm run example:shop`: a shop that InstantSearch widgets search, on Gannet. */
import { isStarted, runExample } from '../lib/start-example.mjs';
import { products } from './products.mjs';

export const shop = {
  folder: import.meta.dirname,
  index: 'products',
  port: 3000,
  documents: products,
  settings: {
    searchableAttributes: ['name', 'category', 'maker', 'description'],
    filterableAttributes: ['category', 'maker', 'colour', 'price', 'isInStock'],
    sortableAttributes: ['price', 'rating'],
    matchingStrategy: 'all',
    rankingRules: ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness', 'rating:desc'],
  },
};

if (isStarted(import.meta)) await runExample(shop);
