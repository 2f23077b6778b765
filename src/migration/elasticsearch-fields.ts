/** Maps fields of Elasticsearch and OpenSearch mappings to settings, by type and members. */
import { isObject, type Json, objectOf } from '../core/json.ts';
import { each, lost, type MappingTable, uses } from './mapped-index.ts';
import {
  GEO_POINT,
  makeFilterable,
  makeSortable,
  NUMBER,
  SettingsDraft,
  takeByRule,
} from './settings-draft.ts';

/** Languages by the names of Elasticsearch and OpenSearch analyzers and stemmers. */
const LANGUAGES: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'arabic ar,armenian hy,bengali bn,bulgarian bg,catalan ca,cjk zh,czech cs,danish da,dutch nl,' +
    'english en,estonian et,finnish fi,french fr,german de,german2 de,greek el,hindi hi,hungarian hu,' +
    'indonesian id,italian it,latvian lv,lithuanian lt,norwegian nb,persian fa,portuguese pt,' +
    'brazilian pt,romanian ro,russian ru,serbian sr,spanish es,swedish sv,thai th,turkish tr,' +
    'porter en,porter2 en,kuromoji ja,nori ko,smartcn zh,ik_max_word zh,ik_smart zh'
  )
    .split(',')
    .map((pair) => pair.split(' ') as [string, string]),
);

/** Code of the language; undefined if the name is not a language. */
export const languageOf = (name: string): string | undefined =>
  LANGUAGES[name.toLowerCase().replace(/^(light|minimal|lovins)_/, '')];

export class ElasticsearchDraft extends SettingsDraft {
  /** Mapping of the field at `path`. */
  field: Json = {};
}

type Use = (draft: ElasticsearchDraft) => void;

const makeSearchable: Use = (draft) => {
  draft.searchable.push(draft.path);
};
const makeFacet: Use = (draft) => {
  draft.filterable.set(draft.path, true);
};
const TEXT = uses('`searchableAttributes`', makeSearchable);
const KEYWORD = uses(
  '`filterableAttributes` with facet search, `sortableAttributes`',
  makeFacet,
  makeSortable,
);
const EXACT = uses('`filterableAttributes`', makeFilterable);

/** Uses of a field, by its type. */
export const ELASTICSEARCH_TYPES: MappingTable<ElasticsearchDraft> = {
  ...each('text match_only_text search_as_you_type completion', TEXT),
  ...each('keyword constant_keyword wildcard', KEYWORD),
  ...each('long integer short byte double float half_float scaled_float unsigned_long', NUMBER),
  date: {
    ...NUMBER,
    says: 'values stay as they are: numbers compare as such, texts of the form `2026-11-22` as text; others keep no order, and there is no arithmetic of dates',
  },
  date_nanos: NUMBER,
  ...each('boolean version', EXACT),
  ip: { ...EXACT, says: 'as text: networks such as `10.0.0.0/8` are not understood' },
  flattened: uses('`filterableAttributes` for what is below it', makeFilterable),
  object: { becomes: 'nothing by itself: attributes below it are named with dots' },
  nested: {
    becomes: 'as `object`',
    says: 'values of one element are not distinguished from values of another',
    take: (_, draft) =>
      draft.note(
        draft.path,
        'is nested: values of one element are not distinguished from values of another',
      ),
  },
  geo_point: GEO_POINT,
  dense_vector: {
    becomes: 'an embedder `userProvided` with its `dims`, called as the field',
    says: 'below other fields it is left where it is',
    take: (_, draft) => takeVector(draft),
  },
  geo_shape: lost('is left as it is: `_geojson` takes an area in GeoJSON'),
  shape: lost('is an area, which cannot be searched here'),
  point: lost('is a place on a plane, which cannot be searched here'),
  ...each('sparse_vector rank_vectors', lost()),
  semantic_text: lost('needs an embedder: docs/vectors.md'),
  ...each('rank_feature rank_features', lost('does not rank: see custom ranking rules')),
  join: lost('has no counterpart: joins are not made in searches'),
  percolator: lost('has no counterpart'),
  alias: lost('is another name: name the attribute itself'),
  binary: lost('is only shown'),
  ...each('token_count murmur3', lost('is not counted here')),
  ...each('histogram aggregate_metric_double', lost('is only shown')),
  ...each(
    'integer_range long_range float_range double_range date_range ip_range',
    lost('is a range: keep its ends in two attributes'),
  ),
};

/** Members of a field that affect indexing; all other members do not affect matching. */
export const ELASTICSEARCH_FIELD: MappingTable<ElasticsearchDraft> = {
  type: { becomes: 'see the types' },
  index: { becomes: 'nothing is set where it is `false`: the attribute is only shown' },
  enabled: { becomes: 'nothing is set where it is `false`: what is below is only shown' },
  fields: { becomes: 'what their types become, for the attribute itself' },
  analyzer: {
    becomes: '`localizedAttributes` and `inflections`, where it is that of a language',
    take: (value, draft) => takeAnalyzer(String(value), draft),
  },
  dims: { becomes: '`dimensions` of the embedder' },
  copy_to: lost('has no counterpart: searches look in all `searchableAttributes`'),
  null_value: lost('has no counterpart: see `IS NULL` in filters'),
  boost: lost('is the place in `searchableAttributes` here'),
  normalizer: lost('has no counterpart: filters do not tell upper from lower case'),
  script: lost('has no counterpart: calculate it before'),
};

function takeVector(draft: ElasticsearchDraft): void {
  const { path, field } = draft;
  const dimensions = Number(field['dims']);
  if (path.includes('.')) draft.note(path, 'is a vector below another field: it is only shown');
  else if (dimensions > 0) draft.addVectors(path, dimensions);
  else draft.note(path, 'is a vector of no known dimensions: it is only shown');
}

/** Splits at spaces or punctuation, as this server does. */
const PLAIN_ANALYZERS = ['standard', 'simple', 'whitespace', 'default'];

function takeAnalyzer(name: string, draft: ElasticsearchDraft): void {
  const language = languageOf(name);
  if (language === undefined) {
    if (!PLAIN_ANALYZERS.includes(name))
      draft.note(`analyzer ${name}`, 'has no counterpart as a whole');
    return;
  }
  draft.addLocale(draft.path, language);
  draft.addInflections(language);
}

/** @param below path prefix of the names */
export function takeFields(properties: Json, below: string, draft: ElasticsearchDraft): void {
  for (const [name, field] of Object.entries(properties)) {
    if (!isObject(field)) continue;
    const path = `${below}${name}`;
    takeField(path, field, draft);
    const { properties: deeper } = field;
    if (isObject(deeper) && field['enabled'] !== false) takeFields(deeper, `${path}.`, draft);
  }
}

function takeField(path: string, field: Json, draft: ElasticsearchDraft): void {
  if (field['index'] === false || field['enabled'] === false) return;
  draft.path = path;
  draft.field = field;
  const type = String(field['type'] ?? 'object');
  takeByRule(ELASTICSEARCH_TYPES, [type, `${path} of type ${type}`], type, draft);
  for (const name of Object.keys(ELASTICSEARCH_FIELD)) {
    const value = field[name] ?? null;
    if (value !== null) takeByRule(ELASTICSEARCH_FIELD, [name, `${path}: ${name}`], value, draft);
  }
  for (const { type: other } of Object.values(objectOf(field['fields'])).filter(isObject))
    ELASTICSEARCH_TYPES[String(other)]?.take?.(other, draft);
}
