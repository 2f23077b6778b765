/** Exports of Algolia, Typesense and Elasticsearch in files, as migration sources. */

import { isObject, type Json } from '../../core/json.ts';
import { ALGOLIA_ID, mapAlgoliaIndex, mapAlgoliaRecord } from '../../migration/from-algolia.ts';
import {
  type ElasticsearchIndex,
  indexUidOf,
  mapElasticsearchIndex,
  readElasticsearchIndexes,
} from '../../migration/from-elasticsearch.ts';
import { mapTypesenseCollection, TYPESENSE_ID } from '../../migration/from-typesense.ts';
import { idOfPlace } from '../../migration/mapped-ids.ts';
import { jsonsOf, type MappedIndex } from '../../migration/mapped-index.ts';
import { documentFormOf } from '../../model/document-form.ts';
import { type GivenOptions, listOption, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { readTextFile } from '../documents/file-parts.ts';
import { rawElements, rawMembers } from '../documents/raw-members.ts';
import { BulkReader } from './bulk-reader.ts';
import { type ExportedDocument, fileSource, type ReadObjects } from './file-source.ts';
import { type MigrationSource, notesAbout } from './migration-source.ts';

interface ExportOptions {
  readonly files: readonly string[];
  readonly options: GivenOptions;
  readonly partBytes: number;
}

/** Reads the JSON value of an option's file; NDJSON becomes a list. */
function jsonFile(options: GivenOptions, name: string): unknown {
  const file = textOption(options, name);
  if (file === null) return undefined;
  const text = readTextFile(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    try {
      return lines.map((line) => JSON.parse(line) as unknown);
    } catch {
      throw new CommandFailure(
        `${file} of --${name} is not valid JSON: ${(error as Error).message}`,
      );
    }
  }
}

/** Reads an object; NDJSON objects are merged into one. */
function objectFile(options: GivenOptions, name: string): Json {
  const value = jsonFile(options, name) ?? {};
  if (isObject(value)) return value;
  if (Array.isArray(value)) return Object.assign({}, ...jsonsOf(value)) as Json;
  throw new CommandFailure(`the file of --${name} does not contain an object`);
}

/** Reads a list, or a list that is a member of an API answer. */
function listFile(options: GivenOptions, name: string): Json[] {
  const value = jsonFile(options, name);
  if (!isObject(value)) return jsonsOf(value);
  const lists = Object.values(value).filter((member) => Array.isArray(member));
  return lists.length === 0 ? [value] : lists.flatMap(jsonsOf);
}

const nameOf = (files: readonly string[]): string =>
  documentFormOf(files[0] ?? '')?.indexUid ?? 'documents';

/** All documents of all files go to one index. */
const oneIndex = (
  { files, partBytes }: ExportOptions,
  index: MappedIndex,
  read: ReadObjects,
): MigrationSource =>
  fileSource({
    files,
    partBytes,
    indexes: [index],
    reader: () => read,
  });

export function algoliaSource(given: ExportOptions): MigrationSource {
  const { files, options } = given;
  const indexUid = textOption(options, 'index') ?? nameOf(files);
  const index = mapAlgoliaIndex({
    indexUid,
    settings: objectFile(options, 'settings'),
    synonyms: listFile(options, 'synonyms'),
    rules: listFile(options, 'rules'),
  });
  const documentOf = (text: string, value: Json): ExportedDocument => ({
    indexUid,
    text,
    value,
    primaryKey: ALGOLIA_ID,
    map: mapAlgoliaRecord,
  });
  return oneIndex(given, index, (text, value) => {
    const isPage = Array.isArray(value['hits']) && value[ALGOLIA_ID] === undefined;
    if (!isPage) return { documents: [documentOf(text, value)] };
    const hits = [...rawElements(rawMembers(text).get('hits') ?? '[]')];
    return { documents: hits.map((hit) => documentOf(hit, JSON.parse(hit) as Json)) };
  });
}

export function typesenseSource(given: ExportOptions): MigrationSource {
  const { options } = given;
  const schema = objectFile(options, 'schema');
  const index = mapTypesenseCollection({
    schema,
    indexUid:
      textOption(options, 'index') ?? (schema['name'] === undefined ? nameOf(given.files) : null),
    queryBy: listOption(options, 'query-by') ?? [],
    weights: (listOption(options, 'query-by-weights') ?? []).map(Number),
    synonyms: listFile(options, 'synonyms'),
    stopWordSets: listFile(options, 'stop-words'),
    overrides: listFile(options, 'rules'),
  });
  const { uid: indexUid, mapDocument: map } = index;
  return oneIndex(given, index, (text, value) => ({
    documents: [{ indexUid, text, value, map, primaryKey: TYPESENSE_ID }],
  }));
}

export function elasticsearchSource(given: ExportOptions): MigrationSource {
  const { files, options, partBytes } = given;
  const indexes = new ElasticsearchIndexes(given);
  const primaryKey = textOption(options, 'primary-key');
  return fileSource({
    files,
    partBytes,
    indexes: indexes.declared,
    reader: () => {
      const bulk = new BulkReader();
      return (text, value, place) => {
        const { documents, notes, isOpen } = bulk.read(text, value);
        const exported = documents.map((document, i): ExportedDocument => {
          const source = JSON.parse(document.text) as Json;
          const index = indexes.of(document.indexName);
          const id = document.id ?? idIn(source, primaryKey) ?? idOfPlace(`${place}:${i}`);
          return {
            indexUid: index.uid,
            primaryKey: index.primaryKey,
            text: document.text,
            value: source,
            map: (from) => index.mapDocument(from, id),
          };
        });
        return { documents: exported, notes: notesAbout('documents', notes), isOpen };
      };
    },
  });
}

/** Member with the id of a document that comes without an action. */
function idIn(source: Json, primaryKey: string | null): string | null {
  for (const field of [primaryKey ?? '_id', 'id']) {
    const id = source[field];
    if (typeof id === 'string' || typeof id === 'number') return String(id);
  }
  return null;
}

/** Target index uids by source index name. */
class ElasticsearchIndexes {
  readonly #indexes = new Map<string, ElasticsearchIndex>();
  /** Source index names by uid. */
  readonly #names = new Map<string, string>();
  /** Index of all documents; null = each document names its index. */
  readonly #only: string | null;
  readonly #otherwise: string;
  readonly #primaryKey: string | null;
  /** Indexes with a mapping or settings. */
  readonly declared: readonly ElasticsearchIndex[];

  constructor({ files, options }: ExportOptions) {
    const asked = textOption(options, 'index');
    const declared = readElasticsearchIndexes(
      objectFile(options, 'mapping'),
      objectFile(options, 'settings'),
    );
    if (asked !== null && declared.size > 1)
      throw new CommandFailure(
        `--index names one index, but the mapping has ${declared.size}: ${[...declared.keys()].join(', ')}`,
        EXIT.usage,
      );
    this.#primaryKey = textOption(options, 'primary-key');
    this.#only = asked ?? (declared.has('') ? nameOf(files) : null);
    this.#otherwise = [...declared.keys()][0] ?? nameOf(files);
    for (const [name, about] of declared) this.#make(name, about);
    this.declared = [...this.#indexes.values()];
  }

  /** @param name null if the document does not name its index */
  of(name: string | null): ElasticsearchIndex {
    const uid = this.#uidOf(name ?? this.#otherwise);
    return this.#indexes.get(uid) ?? this.#make(name ?? this.#otherwise, UNDECLARED_INDEX);
  }

  #make(name: string, about: typeof UNDECLARED_INDEX): ElasticsearchIndex {
    const uid = this.#uidOf(name);
    const index = mapElasticsearchIndex({ ...about, uid, primaryKey: this.#primaryKey });
    this.#indexes.set(uid, index);
    return index;
  }

  #uidOf(name: string): string {
    const uid = this.#only ?? indexUidOf(name);
    const other = this.#names.get(uid) ?? name;
    if (other !== name && this.#only === null)
      throw new CommandFailure(
        `\`${other}\` and \`${name}\` would both become \`${uid}\`: migrate each with its own --index`,
      );
    this.#names.set(uid, name);
    return uid;
  }
}

const UNDECLARED_INDEX = { mappings: {} as Json, settings: {} as Json };
