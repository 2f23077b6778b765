/**
 * Parses API answers of Elasticsearch and OpenSearch about indexes, in the formats of all versions.
 */
import type { ElasticsearchExport } from './from-elasticsearch.ts';
import { isJson, type Members } from './mapped-index.ts';

/** Parts of the answers by index; an unnamed index has the key ''. */
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

/** Before version 7 the mapping of an index was nested under a type name. */
function withoutType(mappings: Members): Members {
  if (isJson(mappings['properties'])) return mappings;
  const typed = Object.values(mappings).find(
    (inner) => isJson(inner) && isJson(inner['properties']),
  );
  return isJson(typed) ? typed : mappings;
}

const indexMembers = (settings: Members): Members =>
  isJson(settings['index']) ? settings['index'] : settings;
