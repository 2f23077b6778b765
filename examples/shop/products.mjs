/** Made products: the same ones each time, enough for facets and ranges to be of use. */
const MAKERS = ['Alder & Sons', 'Brightwater', 'Corvid', 'Dunlin', 'Eider'];
const COLOURS = {
  red: '#c0392b',
  blue: '#2a6fb0',
  green: '#3b7d4f',
  yellow: '#d9a514',
  black: '#2b2b2b',
  white: '#e8e6e0',
};
/** What there is of each category, with the least price. */
const CATEGORIES = {
  Bags: [
    ['Backpack', 59],
    ['Messenger bag', 49],
    ['Weekender', 89],
    ['Belt bag', 25],
  ],
  Kitchen: [
    ['Teapot', 29],
    ['Chopping board', 19],
    ['Enamel mug', 9],
    ['Cast-iron pan', 45],
  ],
  Outdoors: [
    ['Two-person tent', 149],
    ['Sleeping bag', 99],
    ['Camping stove', 39],
    ['Headlamp', 24],
  ],
  Home: [
    ['Wool blanket', 69],
    ['Desk lamp', 35],
    ['Bookshelf', 119],
    ['Wall clock', 32],
  ],
};
const QUALITIES = ['light', 'classic', 'repairable'];

/** From 0 to 1, by number alone. */
const chance = (seed) => {
  const wave = Math.sin(seed * 12.9898) * 43758.5453;
  return wave - Math.floor(wave);
};

function productOf(id, category, [thing, leastPrice], quality, colour) {
  const maker = MAKERS[Math.floor(chance(id) * MAKERS.length)];
  return {
    id,
    name: `${quality[0].toUpperCase()}${quality.slice(1)} ${thing.toLowerCase()} in ${colour}`,
    description: `A ${quality} ${thing.toLowerCase()} by ${maker}, made to be used every day and to last for years.`,
    category,
    maker,
    colour,
    shade: COLOURS[colour],
    price: Math.round(leastPrice * (1 + chance(id + 0.5)) * 100) / 100,
    rating: Math.round((3 + 2 * chance(id + 0.25)) * 10) / 10,
    isInStock: chance(id + 0.75) > 0.2,
  };
}

function* allProducts() {
  let id = 1;
  for (const [category, things] of Object.entries(CATEGORIES))
    for (const thing of things)
      for (const quality of QUALITIES)
        for (const colour of Object.keys(COLOURS))
          yield productOf(id++, category, thing, quality, colour);
}

export const products = [...allProducts()];
