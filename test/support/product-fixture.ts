/** Products for tests of the search page: more brands than an answer lists, images, places, times. */
import type { Meilisearch } from 'meilisearch';

const DAY_S = 86_400;
const FIRST_DAY_S = 1_700_006_400;

/** 131 brands: `Zeta` has half of the products; the others have one each, `Aardvark` is the first by name. */
const brandOf = (id: number): string => {
  if (id === 1) return 'Aardvark';
  return id % 2 === 0 ? 'Zeta' : `Brand ${String(id).padStart(3, '0')}`;
};

const pictureOf = (id: number): string | null => {
  if (id === 0)
    return 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
  return id === 1 ? 'https://images.example/1.jpg' : null;
};

export const PRODUCTS = Array.from({ length: 260 }, (_, id) => ({
  sku: `P-${id}`,
  notes: 'Light and strong',
  name: id === 0 ? 'Trail shoe' : `Shoe ${id}`,
  brand: brandOf(id),
  price: 20 + id / 4,
  stock: id,
  created_at: FIRST_DAY_S + id * DAY_S,
  picture: pictureOf(id),
  tags: ['outdoor', id % 3 === 0 ? 'sale' : 'new'],
  _geo: { lat: 45 + id / 100, lng: 7 },
}));

const SETTINGS = {
  searchableAttributes: ['name', 'brand', 'notes'],
  filterableAttributes: ['brand', 'tags', 'price', 'stock', 'created_at', '_geo'],
  sortableAttributes: ['price', '_geo'],
};

/** Makes an index with the products. */
export async function fillShop(client: Meilisearch, uid: string): Promise<void> {
  const shop = client.index(uid);
  await shop.updateSettings(SETTINGS).waitTask();
  await shop.addDocuments(PRODUCTS, { primaryKey: 'sku' }).waitTask();
}
