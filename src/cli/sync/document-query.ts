/**
 * SQL that makes the documents of an index. PostgreSQL writes their JSON, so numbers keep all digits,
 * arrays are arrays, `json` columns are objects, and times are in ISO 8601. Pure.
 */
import { CommandFailure, EXIT } from '../command-failure.ts';
import type { RowKey } from './change-source.ts';
import type { FieldMapping, IndexMapping } from './mapping.ts';

export interface TableColumn {
  readonly name: string;
  /** SQL type, as `format_type` writes it. */
  readonly type: string;
}

export interface DocumentQuery {
  /** Field that holds the document id. */
  readonly primaryKey: string;
  readonly fields: readonly string[];
  /** All rows in the order of their keys. */
  readonly all: string;
  /** Rows after the key whose values are $1, $2… */
  readonly after: string;
  /** Rows whose key columns have values of the arrays $1, $2… */
  readonly byKeys: string;
  /** True if another key may have the same document id. */
  readonly isAmbiguous: (key: RowKey) => boolean;
}

interface Field {
  readonly name: string;
  readonly sql: string;
}

/** Field with the id of documents whose key has several columns. */
const ID_FIELD = 'id';
const GEO_FIELD = '_geo';
const SEPARATOR = "'-'";

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const row = (name: string): string => `t.${quoted(name)}`;
const listed = (parts: readonly string[]): string =>
  parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(', ')})`;

/** @param relation qualified and quoted. @throws CommandFailure if a column of the mapping is absent */
export function documentQuery(
  mapping: IndexMapping,
  key: readonly string[],
  relation: string,
  columns: readonly TableColumn[],
): DocumentQuery {
  const typeOf = (name: string): string => columnNamed(mapping, columns, name).type;
  for (const name of [...mapping.fields.keys(), ...(mapping.geo ?? [])]) typeOf(name);
  const { primaryKey, fields } = fieldsOf(mapping, key, columns);
  const document = fields.map(({ name, sql }) => `${sql} AS ${quoted(name)}`).join(', ');
  const keys = key.map((name, at) => `${row(name)}::text AS k${at}`).join(', ');
  const select = `SELECT ${keys}, (SELECT row_to_json(d) FROM (SELECT ${document}) d)::text AS document FROM ${relation} t`;
  const order = `ORDER BY ${key.map(row).join(', ')}`;
  const values = key.map((name, at) => `$${at + 1}::${typeOf(name)}`);
  const arrays = key.map((name, at) => `$${at + 1}::${typeOf(name)}[]`);
  const [first = ''] = key;
  return {
    primaryKey,
    fields: fields.map(({ name }) => name),
    all: `${select} ${order}`,
    after: `${select} WHERE ${listed(key.map(row))} > ${listed(values)} ${order}`,
    // The condition with ANY reaches into views that group by their key; a join would not.
    byKeys:
      key.length === 1
        ? `${select} WHERE ${row(first)} = ANY(${arrays[0]})`
        : `${select} WHERE ${listed(key.map(row))} IN (SELECT * FROM unnest(${arrays.join(', ')}))`,
    isAmbiguous: ambiguityOf(key.map(typeOf)),
  };
}

const NUMBER = /^(smallint|integer|bigint)$/;
/** Types whose values have one length, or no separator. */
const UNAMBIGUOUS = /^(uuid|date|boolean)$/;

/** Ids of several columns have the separator between values that may contain it, too. */
function ambiguityOf(types: readonly string[]): (key: RowKey) => boolean {
  const isText = types.map((type) => !NUMBER.test(type) && !UNAMBIGUOUS.test(type));
  const texts = isText.filter(Boolean).length;
  if (types.length === 1 || texts === 0) return () => false;
  if (texts === 1)
    return (key) => key.some((value, at) => NUMBER.test(types[at] ?? '') && value.startsWith('-'));
  return (key) => key.some((value, at) => isText[at] === true && value.includes('-'));
}

function fieldsOf(
  { uid, fields, geo }: IndexMapping,
  key: readonly string[],
  columns: readonly TableColumn[],
): { readonly primaryKey: string; readonly fields: readonly Field[] } {
  const made = columns.flatMap(({ name }) => {
    const mapped = fields.get(name) ?? { name, form: null };
    return mapped.name === null ? [] : [{ name: mapped.name, sql: fieldValue(name, mapped.form) }];
  });
  const [first = ''] = key;
  const isSingle = key.length === 1;
  const primaryKey = isSingle ? (fields.get(first)?.name ?? first) : ID_FIELD;
  if (isSingle && fields.get(first)?.name === null)
    throw new CommandFailure(
      `index \`${uid}\`: the key column \`${first}\` is omitted`,
      EXIT.usage,
    );
  const id = `concat_ws(${SEPARATOR}, ${key.map(row).join(', ')})`;
  const all = [
    ...(isSingle ? [] : [{ name: ID_FIELD, sql: id }]),
    ...made,
    ...(geo === null ? [] : [{ name: GEO_FIELD, sql: pointOf(geo) }]),
  ];
  const twice = all.find(({ name }, at) => all.findIndex((other) => other.name === name) < at);
  if (twice === undefined) return { primaryKey, fields: all };
  throw new CommandFailure(
    `index \`${uid}\`: two columns become the field \`${twice.name}\`: rename or omit one`,
    EXIT.usage,
  );
}

const FORMS: Readonly<Record<NonNullable<FieldMapping['form']>, (column: string) => string>> = {
  seconds: (column) => `trim_scale(extract(epoch FROM ${column})::numeric)`,
  text: (column) => `${column}::text`,
  json: (column) => `${column}::json`,
};

const fieldValue = (column: string, form: FieldMapping['form']): string =>
  form === null ? row(column) : FORMS[form](row(column));

function pointOf([lat, lng]: readonly [string, string]): string {
  const point = `json_build_object('lat', ${row(lat)}, 'lng', ${row(lng)})`;
  return `CASE WHEN ${row(lat)} IS NOT NULL AND ${row(lng)} IS NOT NULL THEN ${point} END`;
}

function columnNamed(
  { uid, relation }: IndexMapping,
  columns: readonly TableColumn[],
  name: string,
): TableColumn {
  const column = columns.find((known) => known.name === name);
  if (column !== undefined) return column;
  throw new CommandFailure(
    `index \`${uid}\`: \`${relation}\` has no column \`${name}\`; its columns are ${columns.map((known) => known.name).join(', ')}`,
    EXIT.usage,
  );
}

/** Array literal of PostgreSQL. */
export const arrayOf = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/[\\"]/g, '\\$&')}"`).join(',')}}`;

/** Parameters of `byKeys`: one array for each key column. */
export const keyArrays = (keys: readonly RowKey[]): readonly string[] =>
  (keys[0] ?? []).map((_, at) => arrayOf(keys.map((key) => key[at] ?? '')));
