/**
 * Reads the objects of an Elasticsearch file one after the other: bulk API lines, where an action
 * precedes its document, lines of a dump, search answers, or plain documents.
 */
import { isObject, type Json } from '../../core/json.ts';
import type { MigrationNote } from '../../migration/mapped-index.ts';
import { rawElements, rawMembers } from '../documents/raw-members.ts';

interface BulkDocument {
  /** null = unknown. */
  readonly indexName: string | null;
  readonly id: string | null;
  /** A JSON object. */
  readonly text: string;
}

interface BulkObject {
  readonly documents: readonly BulkDocument[];
  readonly notes: readonly MigrationNote[];
  /** True if the next object is the document of this action. */
  readonly isOpen: boolean;
}

interface Action {
  readonly kind: string;
  readonly about: Json;
}

const ACTIONS = ['index', 'create', 'update', 'delete'];
const ACTION_MEMBERS =
  /^(_.*|routing|version|version_type|if_seq_no|if_primary_term|retry_on_conflict|pipeline|require_alias|dynamic_templates|parent)$/;

const textOf = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

function actionOf(value: Json): Action | null {
  const [kind = '', ...more] = Object.keys(value);
  const about = value[kind];
  if (more.length > 0 || !ACTIONS.includes(kind) || !isObject(about)) return null;
  return Object.keys(about).every((name) => ACTION_MEMBERS.test(name)) ? { kind, about } : null;
}

const only = (...documents: BulkDocument[]): BulkObject => ({
  documents,
  notes: [],
  isOpen: false,
});

const skipped = (name: string, message: string): BulkObject => ({
  ...only(),
  notes: [{ name, message }],
});

export class BulkReader {
  #action: Action | null = null;

  read(text: string, value: Json): BulkObject {
    const before = this.#action;
    this.#action = null;
    if (before !== null) return this.#documentOf(before, text);
    const action = actionOf(value);
    if (action !== null) return this.#begin(action);
    if (isObject(value['_source'])) return only(hitOf(text, value));
    const { hits } = value;
    if (!isObject(hits) || !Array.isArray(hits['hits']))
      return only({ indexName: null, id: null, text });
    const list = rawMembers(rawMembers(text).get('hits') ?? '{}').get('hits') ?? '[]';
    const documents = [...rawElements(list)].map((hit) => hitOf(hit, JSON.parse(hit) as Json));
    return only(...documents);
  }

  #begin(action: Action): BulkObject {
    if (action.kind === 'delete') return skipped('delete', 'is an action that is skipped');
    this.#action = action;
    return { ...only(), isOpen: true };
  }

  #documentOf({ kind, about }: Action, text: string): BulkObject {
    if (kind === 'update') return skipped('update', 'is a partial update that is skipped');
    return only({ indexName: textOf(about['_index']), id: textOf(about['_id']), text });
  }
}

function hitOf(text: string, value: Json): BulkDocument {
  const source = rawMembers(text).get('_source') ?? '{}';
  return { indexName: textOf(value['_index']), id: textOf(value['_id']), text: source };
}
