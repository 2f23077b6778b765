/** Indexes of Elasticsearch and OpenSearch: mappings and settings as their API tells them. */
import { ChangeDraft } from './change-draft.ts';
import {
  type DocumentChange,
  isJson,
  type MappedIndex,
  type MappingTable,
  type Members,
  textsOf,
} from './mapped-index.ts';
import { placeOf } from './places.ts';
import { SettingsDraft, takeByRule } from './settings-draft.ts';

export const ELASTICSEARCH_ID = '_id';

class ElasticsearchDraft extends SettingsDraft {
  /** Path of the field at hand, and what the mapping says of it. */
  path = '';
  field: Members = {};
  readonly geoFields: string[] = [];
  readonly vectorFields: string[] = [];
}

type Use = (draft: ElasticsearchDraft) => void;

const isText: Use = (draft) => {
  draft.searchable.push(draft.path);
};
const isFacet: Use = (draft) => {
  draft.filterable.set(draft.path, true);
};
const isFilterable: Use = (draft) => {
  if (!draft.filterable.has(draft.path)) draft.filterable.set(draft.path, false);
};
const isSortable: Use = (draft) => {
  draft.sortable.add(draft.path);
};
const uses = (becomes: string, ...all: Use[]) => ({
  becomes,
  take: (_: unknown, draft: ElasticsearchDraft) => {
    for (const use of all) use(draft);
  },
});
const not = (says: string) => ({ becomes: null, says });

const TEXT = uses('`searchableAttributes`', isText);
const KEYWORD = uses(
  '`filterableAttributes` with facet search, `sortableAttributes`',
  isFacet,
  isSortable,
);
const NUMBER = uses('`filterableAttributes`, `sortableAttributes`', isFilterable, isSortable);
const EXACT = uses('`filterableAttributes`', isFilterable);
const RANGE = not('is a range: keep its ends in two attributes');

/** What a field is good for by its type. */
export const ELASTICSEARCH_TYPES: MappingTable<ElasticsearchDraft> = {
  text: TEXT,
  match_only_text: TEXT,
  search_as_you_type: TEXT,
  completion: TEXT,
  keyword: KEYWORD,
  constant_keyword: KEYWORD,
  wildcard: KEYWORD,
  long: NUMBER,
  integer: NUMBER,
  short: NUMBER,
  byte: NUMBER,
  double: NUMBER,
  float: NUMBER,
  half_float: NUMBER,
  scaled_float: NUMBER,
  unsigned_long: NUMBER,
  date: {
    ...NUMBER,
    becomes: '`filterableAttributes`, `sortableAttributes`',
    says: 'values stay as they are: numbers compare as such, texts of the form `2026-11-22` as text; others keep no order, and there is no arithmetic of dates',
  },
  date_nanos: NUMBER,
  boolean: EXACT,
  version: EXACT,
  ip: { ...EXACT, says: 'as text: networks such as `10.0.0.0/8` are not understood' },
  flattened: uses('`filterableAttributes` for what is below it', isFilterable),
  object: { becomes: 'nothing by itself: attributes below it are named with dots' },
  nested: {
    becomes: 'as `object`',
    says: 'values of one element are not told from those of another',
    take: (_, draft) =>
      draft.note(draft.path, 'is nested: values of one element are not told from those of another'),
  },
  geo_point: {
    becomes: '`_geo`, filterable and sortable',
    says: 'a document has one place: that of the first field of this type, the first of a list',
    take: (_, draft) => {
      draft.geoFields.push(draft.path);
    },
  },
  dense_vector: {
    becomes: 'an embedder `userProvided` with its `dims`, called as the field',
    says: 'below other fields it is left where it is',
    take: (_, draft) => takeVector(draft),
  },
  geo_shape: not('is left as it is: `_geojson` takes an area in GeoJSON'),
  shape: not('is an area, which cannot be searched here'),
  point: not('is a place on a plane, which cannot be searched here'),
  sparse_vector: not('has no counterpart'),
  rank_vectors: not('has no counterpart'),
  semantic_text: not('needs an embedder: docs/vectors.md'),
  rank_feature: not('does not rank: see custom ranking rules'),
  rank_features: not('does not rank: see custom ranking rules'),
  join: not('has no counterpart: joins are not made in searches'),
  percolator: not('has no counterpart'),
  alias: not('is another name: name the attribute itself'),
  binary: not('is only shown'),
  token_count: not('is not counted here'),
  murmur3: not('is not counted here'),
  histogram: not('is only shown'),
  aggregate_metric_double: not('is only shown'),
  integer_range: RANGE,
  long_range: RANGE,
  float_range: RANGE,
  double_range: RANGE,
  date_range: RANGE,
  ip_range: RANGE,
};

/** Members of a field that say how it is indexed; all others change nothing that is found. */
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
  copy_to: not('has no counterpart: searches look in all `searchableAttributes`'),
  null_value: not('has no counterpart: see `IS NULL` in filters'),
  boost: not('is the place in `searchableAttributes` here'),
  normalizer: not('has no counterpart: filters do not tell upper from lower case'),
  script: not('has no counterpart: calculate it before'),
};

function takeVector(draft: ElasticsearchDraft): void {
  const { path, field } = draft;
  const dimensions = Number(field['dims']);
  if (path.includes('.')) {
    draft.note(path, 'is a vector below another field: it is only shown');
    return;
  }
  if (!(dimensions > 0)) {
    draft.note(path, 'is a vector of no known dimensions: it is only shown');
    return;
  }
  draft.vectorFields.push(path);
  draft.embedders[path] = { source: 'userProvided', dimensions };
}

/** Names of languages in analyzers and stemmers. */
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

const languageOf = (name: string): string | undefined =>
  LANGUAGES[name.toLowerCase().replace(/^(light|minimal|lovins)_/, '')];

/** Cut at spaces or punctuation, which is the way here, too. */
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

/** @param below what stands before the names in their paths */
function takeFields(properties: Members, below: string, draft: ElasticsearchDraft): void {
  for (const [name, field] of Object.entries(properties)) {
    if (!isJson(field)) continue;
    const path = `${below}${name}`;
    takeField(path, field, draft);
    const { properties: deeper } = field;
    if (isJson(deeper) && field['enabled'] !== false) takeFields(deeper, `${path}.`, draft);
  }
}

function takeField(path: string, field: Members, draft: ElasticsearchDraft): void {
  if (field['index'] === false || field['enabled'] === false) return;
  draft.path = path;
  draft.field = field;
  const type = String(field['type'] ?? 'object');
  takeByRule(ELASTICSEARCH_TYPES, [type, `${path} of type ${type}`], type, draft);
  for (const name of Object.keys(ELASTICSEARCH_FIELD)) {
    const value = field[name] ?? null;
    if (value !== null) takeByRule(ELASTICSEARCH_FIELD, [name, `${path}: ${name}`], value, draft);
  }
  for (const { type: other } of Object.values(jsonOf(field['fields'])).filter(isJson))
    ELASTICSEARCH_TYPES[String(other)]?.take?.(other, draft);
}

const jsonOf = (value: unknown): Members => (isJson(value) ? value : {});

/** Kinds of token filters that change what is found. */
export const ELASTICSEARCH_FILTERS: MappingTable<ElasticsearchDraft> = {
  synonym: {
    becomes: '`synonyms`: `a, b` both ways, `a => b` one way',
    says: 'rules in files or sets of the server are not in the settings',
    take: (value, draft) => takeSynonyms(value as Members, draft),
  },
  synonym_graph: {
    becomes: 'as `synonym`',
    take: (value, draft) => takeSynonyms(value as Members, draft),
  },
  stop: {
    becomes: '`stopWords`, where they are listed',
    says: 'lists of languages (`_english_`) are not in the settings',
    take: (value, draft) => takeStopWords(value as Members, draft),
  },
  stemmer: {
    becomes: '`inflections` of the language',
    take: (value, draft) => {
      const { language, name } = value as Members;
      draft.addInflections(languageOf(String(language ?? name)) ?? String(language ?? name));
    },
  },
  snowball: {
    becomes: '`inflections` of the language',
    take: (value, draft) => {
      const language = String((value as Members)['language'] ?? 'english');
      draft.addInflections(languageOf(language) ?? language);
    },
  },
  lowercase: { becomes: 'nothing: it is always so' },
  asciifolding: { becomes: 'nothing: it is always so' },
  icu_folding: { becomes: 'nothing: it is always so' },
  edge_ngram: { becomes: 'nothing: words are found by their beginnings (`prefixSearch`)' },
  ngram: not('has no counterpart: words are found by their beginnings only'),
};

/** Rules as Solr writes them. */
function takeSynonyms(filter: Members, draft: ElasticsearchDraft): void {
  const rules = textsOf(filter['synonyms']);
  if (rules.length === 0)
    draft.note('synonyms in a file or set', 'are not in the settings: give them as `synonyms`');
  if (filter['format'] === 'wordnet') {
    draft.note('synonyms of WordNet', 'are in a form not known to this program');
    return;
  }
  const phrases = (text: string) =>
    text
      .split(/(?<!\\),/)
      .map((phrase) => phrase.replaceAll('\\,', ',').trim())
      .filter((phrase) => phrase !== '');
  for (const rule of rules.filter((line) => !line.startsWith('#'))) {
    const [left = '', right] = rule.split('=>');
    if (right === undefined) draft.addSynonyms(phrases(left));
    else
      for (const phrase of phrases(left))
        draft.addOneWay(
          phrase,
          phrases(right).filter((other) => other !== phrase),
        );
  }
}

function takeStopWords(filter: Members, draft: ElasticsearchDraft): void {
  const { stopwords } = filter;
  const words = Array.isArray(stopwords)
    ? textsOf(stopwords)
    : String(stopwords ?? '_english_').split(',');
  for (const word of words.map((text) => text.trim()))
    if (/^_.*_$/.test(word))
      draft.note(`stop words ${word}`, 'are a list of the server: give them as `stopWords`');
    else draft.stopWords.add(word);
}

function takeAnalysis(analysis: Members, draft: ElasticsearchDraft): void {
  for (const [name, filter] of Object.entries(jsonOf(analysis['filter']))) {
    const kind = String(jsonOf(filter)['type']);
    takeByRule(ELASTICSEARCH_FILTERS, [kind, `token filter ${name} (${kind})`], filter, draft);
  }
  for (const part of ['char_filter', 'tokenizer', 'normalizer'])
    for (const name of Object.keys(jsonOf(analysis[part])))
      draft.note(`${part} ${name}`, 'has no counterpart: see `separatorTokens` and `dictionary`');
  for (const [name, analyzer] of Object.entries(jsonOf(analysis['analyzer'])))
    if (jsonOf(analyzer)['type'] === 'pattern')
      draft.note(`analyzer ${name}`, 'cuts by a pattern: see `separatorTokens`');
}

/** An index with what the API says of it. */
export interface ElasticsearchIndex extends MappedIndex {
  readonly mapDocument: (document: Members, id: string) => DocumentChange;
}

export interface ElasticsearchExport {
  readonly uid: string;
  /** `properties` and what stands beside them. */
  readonly mappings: Members;
  /** Members of `index` of its settings. */
  readonly settings: Members;
  /** null = ids of documents go to `_id`. */
  readonly primaryKey: string | null;
}

export function mapElasticsearchIndex(given: ElasticsearchExport): ElasticsearchIndex {
  const { uid, mappings, settings } = given;
  const draft = new ElasticsearchDraft();
  if (isJson(settings['analysis'])) takeAnalysis(settings['analysis'], draft);
  if (isJson(mappings['properties'])) takeFields(mappings['properties'], '', draft);
  for (const name of ['dynamic_templates', 'runtime', '_routing'])
    if (mappings[name] !== undefined) draft.note(name, 'has no counterpart');
  const window = Number(settings['max_result_window']);
  if (window > 0) draft.others['pagination'] = { maxTotalHits: window };
  const [geoField = null, ...moreGeo] = draft.geoFields;
  for (const field of moreGeo) draft.note(field, `is a second place: \`${geoField}\` is \`_geo\``);
  if (geoField !== null) draft.addPlace();
  const primaryKey = given.primaryKey ?? ELASTICSEARCH_ID;
  return {
    ...{ uid, primaryKey },
    settings: draft.settings(),
    notes: draft.notes,
    mapDocument: (document, id) => {
      const change = new ChangeDraft();
      change.setId(document, primaryKey, id);
      const place = geoField === null ? undefined : valueAt(document, geoField);
      if (geoField !== null && place !== undefined && place !== null)
        change.setGeo(geoField, place, (value) => placeOf(value, 'longitude first'));
      change.moveVectors(document, draft.vectorFields);
      return change;
    },
  };
}

/** Names with dots are one member, or members of members. */
function valueAt(document: Members, path: string): unknown {
  if (Object.hasOwn(document, path)) return document[path];
  const dot = path.indexOf('.');
  if (dot === -1) return undefined;
  const inner = document[path.slice(0, dot)];
  return isJson(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
}

/** What the answers of the API say of each index; one without a name stands under ''. */
export function readElasticsearchIndexes(
  mappings: Members,
  settings: Members,
): ReadonlyMap<string, Pick<ElasticsearchExport, 'mappings' | 'settings'>> {
  const indexes = new Map<string, { mappings: Members; settings: Members }>();
  for (const answer of [mappings, settings])
    for (const [name, about] of Object.entries(byIndex(answer))) {
      const known = indexes.get(name) ?? { mappings: {}, settings: {} };
      const { mappings: its, settings: others } = about;
      indexes.set(name, {
        mappings: isJson(its) ? withoutType(its) : known.mappings,
        settings: isJson(others) ? indexMembers(others) : known.settings,
      });
    }
  return indexes;
}

function byIndex(answer: Members): Readonly<Record<string, Members>> {
  if (isJson(answer['mappings']) || isJson(answer['settings'])) return { '': answer };
  if (isJson(answer['properties'])) return { '': { mappings: answer } };
  if (
    isJson(answer['index']) &&
    !isJson(answer['index']['mappings']) &&
    !isJson(answer['index']['settings'])
  )
    return { '': { settings: answer } };
  return Object.fromEntries(Object.entries(answer).filter(([, about]) => isJson(about))) as Record<
    string,
    Members
  >;
}

/** Before 7 the mapping of an index stood below the name of a type. */
function withoutType(mappings: Members): Members {
  if (isJson(mappings['properties'])) return mappings;
  const typed = Object.values(mappings).find(
    (inner) => isJson(inner) && isJson(inner['properties']),
  );
  return isJson(typed) ? typed : mappings;
}

const indexMembers = (settings: Members): Members =>
  isJson(settings['index']) ? settings['index'] : settings;

/** Of an index of Elasticsearch here. */
export const indexUidOf = (name: string): string => name.replace(/[^\w-]+/g, '_') || 'documents';
