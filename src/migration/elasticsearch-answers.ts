/**
 * Parses API answers of Elasticsearch and OpenSearch about indexes, in the formats of all versions.
 */
import { isObject, type Json } from '../core/json.ts';
import type { ElasticsearchExport } from './from-elasticsearch.ts';

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
