/**
 * Converts Elasticsearch and OpenSearch indexes: mappings and settings as their API returns them.
 */
import { isObject, type Json } from '../core/json.ts';
import { ChangeDraft } from './change-draft.ts';
import { takeAnalysis } from './elasticsearch-analysis.ts';
import { ElasticsearchDraft, takeFields } from './elasticsearch-fields.ts';
import type { DocumentChange, MappedIndex } from './mapped-index.ts';

const ELASTICSEARCH_ID = '_id';

export interface ElasticsearchIndex extends MappedIndex {
  readonly mapDocument: (document: Json, id: string) => DocumentChange;
}

interface ElasticsearchExport {
  readonly uid: string;
  /** The mapping: `properties` and its other members. */
  readonly mappings: Json;
  /** Members of `index` in the settings. */
  readonly settings: Json;
  /** null = document ids go to `_id`. */
  readonly primaryKey: string | null;
}

export function mapElasticsearchIndex(given: ElasticsearchExport): ElasticsearchIndex {
  const { uid, mappings, settings } = given;
  const draft = new ElasticsearchDraft();
  if (isObject(settings['analysis'])) takeAnalysis(settings['analysis'], draft);
  if (isObject(mappings['properties'])) takeFields(mappings['properties'], '', draft);
  for (const name of ['dynamic_templates', 'runtime', '_routing'])
    if (mappings[name] !== undefined) draft.note(name, 'has no counterpart');
  const window = Number(settings['max_result_window']);
  if (window > 0) draft.others['pagination'] = { maxTotalHits: window };
  const geoField = draft.takePlace();
  const primaryKey = given.primaryKey ?? ELASTICSEARCH_ID;
  return {
    uid,
    primaryKey,
    settings: draft.settings(),
    notes: draft.notes,
    mapDocument: (document, id) => {
      const change = new ChangeDraft();
      change.setId(document, primaryKey, id);
      if (geoField !== null)
        change.setGeo(geoField, valueAt(document, geoField), 'longitude first');
      change.moveVectors(document, draft.vectorFields);
      return change;
    },
  };
}

/** Expands names with dots into nested members; nested members stay. */
function valueAt(document: Json, path: string): unknown {
  if (Object.hasOwn(document, path)) return document[path];
  const dot = path.indexOf('.');
  if (dot === -1) return undefined;
  const inner = document[path.slice(0, dot)];
  return isObject(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
}

/** Converts an index of Elasticsearch. */
export const indexUidOf = (name: string): string => name.replace(/[^\w-]+/g, '_') || 'documents';

/** Parts of the answers by index; an unnamed index has the key ''. */
export function readElasticsearchIndexes(
  mappings: Json,
  settings: Json,
): ReadonlyMap<string, Pick<ElasticsearchExport, 'mappings' | 'settings'>> {
  const indexes = new Map<string, { mappings: Json; settings: Json }>();
  for (const answer of [mappings, settings])
    for (const [name, about] of Object.entries(byIndex(answer))) {
      const known = indexes.get(name) ?? { mappings: {}, settings: {} };
      const { mappings: its, settings: others } = about;
      indexes.set(name, {
        mappings: isObject(its) ? withoutType(its) : known.mappings,
        settings: isObject(others) ? indexMembers(others) : known.settings,
      });
    }
  return indexes;
}

function byIndex(answer: Json): Readonly<Record<string, Json>> {
  if (isObject(answer['mappings']) || isObject(answer['settings'])) return { '': answer };
  if (isObject(answer['properties'])) return { '': { mappings: answer } };
  if (
    isObject(answer['index']) &&
    !isObject(answer['index']['mappings']) &&
    !isObject(answer['index']['settings'])
  )
    return { '': { settings: answer } };
  return Object.fromEntries(
    Object.entries(answer).filter(([, about]) => isObject(about)),
  ) as Record<string, Json>;
}

/** Before version 7 the mapping of an index was nested under a type name. */
function withoutType(mappings: Json): Json {
  if (isObject(mappings['properties'])) return mappings;
  const typed = Object.values(mappings).find(
    (inner) => isObject(inner) && isObject(inner['properties']),
  );
  return isObject(typed) ? typed : mappings;
}

const indexMembers = (settings: Json): Json =>
  isObject(settings['index']) ? settings['index'] : settings;
