/**
 * Converts Typesense collections: schema, synonyms, stop words and overrides as its API returns
 * them, and exported documents.
 */
import type { Json } from '../core/json.ts';
import { DEFAULT_SETTINGS } from '../model/settings.ts';
import { ChangeDraft } from './change-draft.ts';
import {
  each,
  jsonsOf,
  lost,
  type MapDocument,
  type MappedIndex,
  type MappingTable,
  textsOf,
  uses,
} from './mapped-index.ts';
import {
  GEO_POINT,
  makeFilterable,
  makeSortable,
  NUMBER,
  SettingsDraft,
  takeByRule,
  takeMembers,
} from './settings-draft.ts';

export const TYPESENSE_ID = 'id';

class TypesenseDraft extends SettingsDraft {
  /** Members of the field at `path`. */
  members: Json = {};
  readonly texts: string[] = [];
  defaultOrder: string | null = null;
}

const makeSearchable = (draft: TypesenseDraft): void => {
  draft.texts.push(draft.path);
};
const TEXT = uses('`searchableAttributes`, `filterableAttributes`', makeSearchable, makeFilterable);

/** Uses of a field, by its type; a list type maps like its element type. */
export const TYPESENSE_TYPES: MappingTable<TypesenseDraft> = {
  ...each('string string*', TEXT),
  ...each('int32 int64 float bool', NUMBER),
  auto: uses(
    '`searchableAttributes`, `filterableAttributes`, `sortableAttributes`',
    makeSearchable,
    makeFilterable,
    makeSortable,
  ),
  geopoint: GEO_POINT,
  object: { becomes: 'nothing by itself: attributes below it are named with dots' },
  geopolygon: lost('is left as it is: `_geojson` takes an area in GeoJSON'),
  image: lost('needs an embedder: docs/vectors.md'),
};

export const TYPESENSE_FIELD: MappingTable<TypesenseDraft> = {
  name: { becomes: 'the attribute; `.*` and other patterns are `*`' },
  type: { becomes: 'see the types' },
  facet: {
    becomes: '`filterableAttributes` with facet search',
    take: (_, draft) => draft.filterable.set(draft.path, true),
  },
  sort: {
    becomes: '`sortableAttributes`',
    take: (_, draft) => draft.sortable.add(draft.path),
  },
  locale: {
    becomes: '`localizedAttributes`',
    take: (value, draft) => draft.addLocale(draft.path, String(value)),
  },
  stem: {
    becomes: '`inflections` of the language of `locale`, else English',
    says: 'inflections are of all attributes',
    take: (_, draft) => draft.addInflections(String(draft.members['locale'] || 'en')),
  },
  num_dim: {
    becomes: 'an embedder `userProvided` with these dimensions, called as the field',
    take: (value, draft) => draft.addVectors(draft.path, Number(value)),
  },
  embed: lost(
    'makes vectors there: those of the export are kept; declare an embedder for new documents and searches (docs/vectors.md)',
  ),
  vec_dist: { becomes: 'nothing: the angle of vectors counts' },
  hnsw_params: { becomes: 'nothing: searches among vectors are exact enough by themselves' },
  index: { becomes: 'nothing is set where it is `false`: the attribute is only shown' },
  optional: { becomes: 'nothing: every attribute may be missing' },
  store: { becomes: 'nothing: what is not stored is not in the export' },
  infix: {
    becomes: '`substringAttributes`',
    take: (value, draft) => {
      if (value === true) draft.substrings.add(draft.path);
    },
  },
  range_index: { becomes: 'nothing: numbers of filterable attributes are compared fast' },
  ...each(
    'reference async_reference cascade_delete',
    lost('has no counterpart: joins are not made in searches'),
  ),
  stem_dictionary: lost('has no counterpart: see `synonyms`'),
  token_separators: lost('is for all attributes here: `separatorTokens`'),
  symbols_to_index: lost('is for all attributes here: `nonSeparatorTokens`'),
  truncate_len: { becomes: 'nothing: words up to position 65,535 of an attribute count' },
  ...each('nested nested_array', {
    becomes: 'nothing: attributes below others are named with dots',
  }),
};

export const TYPESENSE_SCHEMA: MappingTable<TypesenseDraft> = {
  name: { becomes: 'the uid of the index, unless `--index` is given' },
  fields: {
    becomes: 'see the members of a field',
    take: (value, draft) => {
      for (const field of jsonsOf(value)) takeField(field, draft);
    },
  },
  default_sorting_field: {
    becomes: '`rankingRules`: `field:desc` at their end',
    take: (value, draft) => {
      draft.defaultOrder = String(value);
    },
  },
  token_separators: {
    becomes: '`separatorTokens`',
    take: (value, draft) => {
      draft.others['separatorTokens'] = textsOf(value);
    },
  },
  symbols_to_index: {
    becomes: '`nonSeparatorTokens`',
    take: (value, draft) => {
      draft.others['nonSeparatorTokens'] = textsOf(value);
    },
  },
  enable_nested_fields: { becomes: 'nothing: it is always so' },
  synonym_sets: { becomes: '`synonyms`, if the sets are given in `--synonyms`' },
  curation_sets: lost('are not taken over: pin and hide documents with search rules'),
  metadata: lost('is for applications: keep it in yours'),
  voice_query_model: lost(),
  num_documents: { becomes: 'nothing: it counts' },
  created_at: { becomes: 'nothing: the index is new' },
};

function takeField(members: Json, draft: TypesenseDraft): void {
  const given = String(members['name']);
  const isPattern = /[*+?^$\\]/.test(given);
  const name =
    given === '.*' ? '*' : isPattern ? given.replace(/^\^|\$$/g, '').replaceAll('.*', '*') : given;
  const type = String(members['type']).replace(/\[\]$/, '');
  draft.path = name;
  draft.members = members;
  if (members['index'] === false) return;
  takeByRule(TYPESENSE_TYPES, [type, `${name} of type ${type}`], type, draft);
  const noted = draft.notes.length;
  takeMembers(TYPESENSE_FIELD, withoutZero(members), draft);
  for (const note of draft.notes.splice(noted)) draft.note(`${name}: ${note.name}`, note.message);
  if (members['sort'] === false) draft.sortable.delete(name);
  if (!draft.vectorFields.includes(name)) return;
  draft.sortable.delete(name);
  draft.filterable.delete(name);
}

/** Drops members equal to 0, the default of numbers in schemas. */
const withoutZero = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== 0));

export interface TypesenseExport {
  readonly schema: Json;
  /** null = the collection's name. */
  readonly indexUid: string | null;
  /** `query_by` and `query_by_weights` of the searches. */
  readonly queryBy: readonly string[];
  readonly weights: readonly number[];
  readonly synonyms: readonly Json[];
  readonly stopWordSets: readonly Json[];
  readonly overrides: readonly Json[];
}

interface TypesenseIndex extends MappedIndex {
  readonly mapDocument: MapDocument;
}

export function mapTypesenseCollection(given: TypesenseExport): TypesenseIndex {
  const { schema, synonyms, stopWordSets, overrides } = given;
  const draft = new TypesenseDraft();
  takeMembers(TYPESENSE_SCHEMA, schema, draft);
  draft.searchable.push(...searchedFields(given, draft));
  takeSynonyms(synonyms, draft);
  for (const set of stopWordSets)
    for (const word of textsOf(set['stopwords'])) draft.stopWords.add(word);
  if (stopWordSets.length > 0)
    draft.note(
      'stop words',
      'are left out of every search here, there of those that name their set',
    );
  for (const override of overrides)
    draft.note(
      `override ${String(override['id'])}`,
      'is not taken over: pin and hide documents with search rules',
    );
  if (draft.defaultOrder !== null)
    draft.others['rankingRules'] = [...DEFAULT_SETTINGS.rankingRules, `${draft.defaultOrder}:desc`];
  const geoField = draft.takePlace();
  return {
    uid: given.indexUid ?? String(schema['name'] ?? 'documents'),
    primaryKey: TYPESENSE_ID,
    settings: draft.settings(),
    notes: draft.notes,
    mapDocument: (document) => mapDocument(document, geoField, draft.vectorFields),
  };
}

/** Orders fields by descending weight; fields that no search names are not searchable. */
function searchedFields(
  { queryBy, weights }: TypesenseExport,
  draft: TypesenseDraft,
): readonly string[] {
  if (queryBy.length === 0) return draft.texts;
  const weighed = queryBy.map((name, i) => ({ name, weight: weights[i] ?? 0 }));
  if (weights.length > 0)
    draft.note(
      'query_by_weights',
      'give the order of the attributes: how much one counts more is not kept',
    );
  return weighed.sort((a, b) => b.weight - a.weight).map(({ name }) => name);
}

/** @param rows with `synonyms`, and `root` for one-way synonyms; or sets with `items` */
function takeSynonyms(rows: readonly Json[], draft: TypesenseDraft): void {
  for (const row of rows) {
    const items = jsonsOf(row['items']);
    if (items.length > 0) {
      takeSynonyms(items, draft);
      continue;
    }
    const { root } = row;
    const phrases = textsOf(row['synonyms']);
    if (typeof root === 'string' && root !== '') draft.addOneWay(root, phrases);
    else draft.addSynonyms(phrases);
  }
}

function mapDocument(document: Json, geoField: string | null, vectorFields: readonly string[]) {
  const draft = new ChangeDraft();
  draft.setId(document, TYPESENSE_ID, document[TYPESENSE_ID]);
  if (geoField !== null) draft.setGeo(geoField, document[geoField], 'latitude first');
  draft.moveVectors(document, vectorFields);
  return draft;
}
