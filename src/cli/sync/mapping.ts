/** The mapping file of `gannet sync`: which tables and views become which indexes. */
import { readFileSync } from 'node:fs';
import { isObject, type Json, parseJson } from '../../core/json.ts';
import { type CommandCall, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';

const FORMS = ['seconds', 'text', 'json'] as const;

export interface FieldMapping {
  /** Name of the field in documents; null = the column is omitted. */
  readonly name: string | null;
  /** `seconds` since 1970, the `text` of the database, or parsed `json`; null = by its type. */
  readonly form: (typeof FORMS)[number] | null;
}

/** A table whose changes change documents. */
interface WatchedTable {
  readonly table: string;
  /** Columns with the key of the document, or with the value that `keysQuery` takes. */
  readonly columns: readonly string[];
  /** Finds keys by an array of values, `$1`; null = the columns are the key. */
  readonly keysQuery: string | null;
}

export interface IndexMapping {
  readonly uid: string;
  /** Name of the table or view, as in SQL. */
  readonly relation: string;
  /** Key columns; null = the primary key of the table. */
  readonly key: readonly string[] | null;
  /** By column; columns that are not named keep name and form. */
  readonly fields: ReadonlyMap<string, FieldMapping>;
  /** Columns of latitude and longitude, which make the field `_geo`. */
  readonly geo: readonly [string, string] | null;
  /** Null = the documents depend on their own row only. */
  readonly changes: readonly WatchedTable[] | null;
}

const wrong = (place: string, what: string): CommandFailure =>
  new CommandFailure(`${place}: ${what}`, EXIT.usage);

/** The mappings of `--mapping` or `--tables`. @throws CommandFailure */
export function mappingsOf({ options }: CommandCall): readonly IndexMapping[] {
  const file = textOption(options, 'mapping');
  const tables = textOption(options, 'tables');
  if ((file === null) === (tables === null))
    throw new CommandFailure('name the tables by --mapping FILE or by --tables LIST', EXIT.usage);
  if (file === null) return mappingOfTables(tables ?? '');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${file}: ${(error as Error).message}`, EXIT.usage);
  }
  return parseMapping(text, file);
}

/** Each table becomes the index of its name. @param list comma-separated */
const mappingOfTables = (list: string): readonly IndexMapping[] =>
  list.split(',').map((name) => {
    const relation = name.trim();
    const uid = relation.split('.').at(-1)?.replaceAll('"', '') ?? '';
    return { uid, relation, key: null, fields: new Map(), geo: null, changes: null };
  });

/** @throws CommandFailure */
export function parseMapping(text: string, file: string): readonly IndexMapping[] {
  const { indexes } = membersOf(parseJson(text), file, ['indexes']);
  if (!isObject(indexes) || Object.keys(indexes).length === 0)
    throw wrong(file, '`indexes` must be an object with an index');
  return Object.entries(indexes).map(([uid, value]) =>
    indexMapping(uid, value, `${file}, index \`${uid}\``),
  );
}

const MEMBERS = ['table', 'view', 'key', 'fields', 'geo', 'changes'];

function indexMapping(uid: string, value: unknown, place: string): IndexMapping {
  const { table, view, key, fields, geo, changes } = membersOf(value, place, MEMBERS);
  const relation = table ?? view;
  if (typeof relation !== 'string' || (table !== undefined && view !== undefined))
    throw wrong(place, 'needs `table` or `view`');
  if (view !== undefined && (key === undefined || changes === undefined))
    throw wrong(place, 'a view needs `key` and `changes`');
  if (table !== undefined && changes !== undefined)
    throw wrong(place, '`changes` belongs to a view: documents of a table depend on their own row');
  const named = fields === undefined ? {} : objectAt(fields, place, 'fields');
  return {
    uid,
    relation,
    key: key === undefined ? null : columnsAt(key, place, 'key'),
    fields: new Map(
      Object.entries(named).map(([column, field]) => [column, fieldMapping(field, column, place)]),
    ),
    geo: geo === undefined ? null : geoColumns(geo, place),
    changes:
      changes === undefined
        ? null
        : Object.entries(objectAt(changes, place, 'changes')).map(([name, watched]) =>
            watchedTable(name, watched, place),
          ),
  };
}

function fieldMapping(value: unknown, column: string, place: string): FieldMapping {
  if (value === false) return { name: null, form: null };
  if (typeof value === 'string') return { name: value, form: null };
  const at = `${place}, field \`${column}\``;
  const { name = column, as: form = null } = membersOf(value, at, ['name', 'as']);
  if (typeof name !== 'string') throw wrong(at, '`name` must be a string');
  const found = FORMS.find((known) => known === form) ?? null;
  if (found !== form) throw wrong(at, `\`as\` is one of ${FORMS.join(', ')}`);
  return { name, form: found };
}

function watchedTable(table: string, value: unknown, place: string): WatchedTable {
  if (!isObject(value))
    return { table, columns: columnsAt(value, place, `changes.${table}`), keysQuery: null };
  const at = `${place}, changes of \`${table}\``;
  const { column, keys } = membersOf(value, at, ['column', 'keys']);
  if (typeof column !== 'string' || typeof keys !== 'string' || !keys.includes('$1'))
    throw wrong(
      at,
      'needs `column`, and in `keys` a query that takes an array of its values as $1',
    );
  return { table, columns: [column], keysQuery: keys };
}

function geoColumns(value: unknown, place: string): readonly [string, string] {
  const { lat, lng } = membersOf(value, place, ['lat', 'lng']);
  if (typeof lat === 'string' && typeof lng === 'string') return [lat, lng];
  throw wrong(place, '`geo` names the columns `lat` and `lng`');
}

/** The columns of a name or a list of names. */
function columnsAt(value: unknown, place: string, member: string): readonly string[] {
  const columns: unknown[] = [value].flat();
  if (columns.length > 0 && columns.every((column) => typeof column === 'string')) return columns;
  throw wrong(place, `\`${member}\` names a column, or several as a list`);
}

function objectAt(value: unknown, place: string, member: string): Json {
  if (isObject(value)) return value;
  throw wrong(place, `\`${member}\` must be an object`);
}

function membersOf(value: unknown, place: string, known: readonly string[]): Json {
  if (!isObject(value)) throw wrong(place, 'must be a JSON object');
  const other = Object.keys(value).find((name) => !known.includes(name));
  if (other === undefined) return value;
  throw wrong(place, `unknown member \`${other}\`; members are ${known.join(', ')}`);
}
