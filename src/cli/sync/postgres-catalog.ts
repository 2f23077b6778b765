/** Tables, columns, publication and slot of a PostgreSQL database, checked and made. */
import { CommandFailure } from '../command-failure.ts';
import type { OpenTransaction } from './change-source.ts';
import { type DocumentQuery, documentQuery, quoted, type TableColumn } from './document-query.ts';
import type { Watch } from './key-changes.ts';
import type { IndexMapping } from './mapping.ts';
import type { Query } from './postgres-session.ts';

interface Relation {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** `r` table, `p` partitioned table, `v` view, `m` materialized view, `f` foreign table. */
  readonly kind: string;
  /** `d` primary key, `i` index, `f` full, `n` nothing. */
  readonly identity: string;
  /** Query of a view. */
  readonly definition: string | null;
  readonly columns: readonly TableColumn[];
  readonly primary: readonly string[] | null;
  readonly identityIndex: readonly string[] | null;
}

interface WatchedRelation extends Watch {
  readonly relation: Relation;
}

export interface DescribedIndex {
  readonly uid: string;
  readonly relation: Relation;
  readonly documents: DocumentQuery;
  readonly watches: readonly WatchedRelation[];
  /** By name of the watched table: query that finds keys. */
  readonly keysQueries: ReadonlyMap<string, string>;
}

const indexColumns = (flag: string): string =>
  `(SELECT json_agg(a.attname ORDER BY k.at) FROM pg_index i
    CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k(attnum, at)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    WHERE i.indrelid = c.oid AND i.${flag})`;

const DESCRIBE = `SELECT c.oid, n.nspname AS schema, c.relname AS name,
  c.relkind AS kind, c.relreplident AS identity,
  CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END AS definition,
  (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
    ORDER BY a.attnum) FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  ${indexColumns('indisprimary')} AS primary, ${indexColumns('indisreplident')} AS "identityIndex"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass($1)`;

async function relationOf(query: Query, name: string, uid: string): Promise<Relation> {
  const [relation] = await query<Relation>(DESCRIBE, [name]);
  if (relation !== undefined) return relation;
  throw new CommandFailure(`index \`${uid}\`: the database has no table or view \`${name}\``);
}

const nameOf = ({ schema, name }: Relation): string => `${quoted(schema)}.${quoted(name)}`;

/** @throws CommandFailure if the mapping does not fit the tables */
export async function describeIndex(query: Query, mapping: IndexMapping): Promise<DescribedIndex> {
  const { uid, relation: relationName } = mapping;
  const relation = await relationOf(query, relationName, uid);
  const key = mapping.key ?? relation.primary;
  if (key === null)
    throw new CommandFailure(
      `index \`${uid}\`: \`${relationName}\` has no primary key: name the \`key\` columns in the mapping file`,
    );
  const documents = documentQuery(mapping, key, nameOf(relation), relation.columns);
  const changes = mapping.changes ?? [{ table: relationName, columns: key, keysQuery: null }];
  const watches: WatchedRelation[] = [];
  for (const { table, columns, keysQuery } of changes) {
    const isRelated = keysQuery !== null;
    const watched = await relationOf(query, table, uid);
    const watch = { indexUid: uid, table, columns, isRelated, relation: watched };
    checkWatched(watch, key.length);
    if (keysQuery !== null) await checkKeysQuery(query, uid, keysQuery, key.length);
    watches.push(watch);
  }
  const keysQueries = new Map(
    changes.flatMap(({ table, keysQuery }) => (keysQuery === null ? [] : [[table, keysQuery]])),
  );
  return { uid, relation, documents, watches, keysQueries };
}

const identityColumns = (relation: Relation): readonly string[] => {
  if (relation.identity === 'f') return relation.columns.map(({ name }) => name);
  if (relation.identity === 'd') return relation.primary ?? [];
  return relation.identity === 'i' ? (relation.identityIndex ?? []) : [];
};

function checkWatched(
  { indexUid: uid, relation, columns, isRelated }: WatchedRelation,
  keyLength: number,
): void {
  const name = nameOf(relation);
  if (relation.kind !== 'r' && relation.kind !== 'p')
    throw new CommandFailure(
      `index \`${uid}\`: ${name} is not a table: map a view as \`view\`, with the tables it reads in \`changes\``,
    );
  if (!isRelated && columns.length !== keyLength)
    throw new CommandFailure(
      `index \`${uid}\`: changes of ${name} need ${keyLength} columns, in the order of the key`,
    );
  const known = relation.columns.map((column) => column.name);
  const absent = columns.find((column) => !known.includes(column));
  if (absent !== undefined)
    throw new CommandFailure(`index \`${uid}\`: ${name} has no column \`${absent}\``);
  const identity = identityColumns(relation);
  const unsent = columns.find((column) => !identity.includes(column));
  if (unsent !== undefined)
    throw new CommandFailure(
      `index \`${uid}\`: PostgreSQL does not send \`${unsent}\` of updated and deleted rows of ${name}; run: ALTER TABLE ${name} REPLICA IDENTITY FULL;`,
    );
}

/** @throws CommandFailure if the query fails or has another number of columns than the key */
async function checkKeysQuery(
  query: Query,
  uid: string,
  keysQuery: string,
  keyLength: number,
): Promise<void> {
  const names = Array.from({ length: keyLength }, (_, at) => `k${at}`).join(', ');
  try {
    await query(`SELECT ${names} FROM (${keysQuery}) q (${names}) LIMIT 0`, ['{}']);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code?.startsWith('42') !== true) throw error;
    throw new CommandFailure(`index \`${uid}\`: \`${keysQuery}\`: ${message}`);
  }
}

/** Columns with their types; differs after a change of the schema. */
export const signatureOf = ({ relation, documents, watches }: DescribedIndex): string =>
  JSON.stringify([relation, documents, watches]);

/** Runs a statement that needs rights, and names it if they lack. */
async function withRights(query: Query, statement: string, rights: string): Promise<void> {
  try {
    await query(statement);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== '42501') throw error;
    throw new CommandFailure(`${message}: ${rights}, or let an administrator run: ${statement};`);
  }
}

/** Makes the publication, or adds tables that it lacks. It exists before the slot needs it. */
export async function ensurePublication(
  query: Query,
  publication: string,
  indexes: readonly DescribedIndex[],
): Promise<void> {
  const relations = indexes.flatMap(({ watches }) => watches.map(({ relation }) => relation));
  const names = [...new Set(relations.map(nameOf))];
  const [found] = await query<{ complete: boolean; viaRoot: boolean }>(
    `SELECT pubinsert AND pubupdate AND pubdelete AND pubtruncate AS complete,
      pubviaroot AS "viaRoot" FROM pg_publication WHERE pubname = $1`,
    [publication],
  );
  const owner = 'the user must own the tables and have CREATE on the database';
  const name = quoted(publication);
  if (found === undefined)
    return withRights(
      query,
      `CREATE PUBLICATION ${name} FOR TABLE ${names.join(', ')} WITH (publish_via_partition_root = true)`,
      owner,
    );
  if (!found.complete)
    throw new CommandFailure(
      `the publication ${name} leaves out changes; run: ALTER PUBLICATION ${name} SET (publish = 'insert, update, delete, truncate');`,
    );
  if (!found.viaRoot && relations.some(({ kind }) => kind === 'p'))
    throw new CommandFailure(
      `a table is partitioned; run: ALTER PUBLICATION ${name} SET (publish_via_partition_root = true);`,
    );
  const published = await query<{ schema: string; name: string }>(
    `SELECT schemaname AS schema, tablename AS name FROM pg_publication_tables
      WHERE pubname = $1`,
    [publication],
  );
  const there = published.map((table) => `${quoted(table.schema)}.${quoted(table.name)}`);
  const missing = names.filter((table) => !there.includes(table));
  if (missing.length > 0)
    await withRights(query, `ALTER PUBLICATION ${name} ADD TABLE ${missing.join(', ')}`, owner);
}

interface Slot {
  /** False = PostgreSQL has removed log that the slot needed. */
  readonly isUsable: boolean;
  readonly confirmed: string | null;
  readonly lagBytes: string;
  readonly retainedBytes: string;
  /** Null = unlimited. */
  readonly bytesLeft: string | null;
}

export async function slotNamed(query: Query, slot: string): Promise<Slot | null> {
  const [found] = await query<Slot>(
    `SELECT wal_status IS DISTINCT FROM 'lost' AS "isUsable",
      confirmed_flush_lsn::text AS confirmed, safe_wal_size::text AS "bytesLeft",
      coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn), 0)::text AS "lagBytes",
      coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::text AS "retainedBytes"
    FROM pg_replication_slots WHERE slot_name = $1`,
    [slot],
  );
  return found ?? null;
}

/** The oldest transaction of the server that has written. It bounds the `restart_lsn` of every slot. */
export async function oldestTransaction(query: Query): Promise<OpenTransaction | null> {
  const [found] = await query<OpenTransaction>(
    `SELECT id::text, pid, state, extract(epoch FROM clock_timestamp() - began)::float8 AS seconds
      FROM (SELECT backend_xid AS id, pid, state, xact_start AS began FROM pg_stat_activity
          WHERE backend_xid IS NOT NULL
        UNION ALL
        SELECT transaction, NULL, 'prepared', prepared FROM pg_prepared_xacts) writing
      ORDER BY age(id) DESC LIMIT 1`,
  );
  return found ?? null;
}

const REPLICATION = 'the user needs the attribute REPLICATION (ALTER ROLE … REPLICATION)';

export const createSlot = (query: Query, slot: string): Promise<void> =>
  withRights(
    query,
    `SELECT pg_create_logical_replication_slot('${slot}', 'pgoutput')`,
    REPLICATION,
  );

/** A physical slot that retains no log: it only marks that a copy is unfinished. */
export const createMarker = (query: Query, slot: string): Promise<void> =>
  withRights(query, `SELECT pg_create_physical_replication_slot('${slot}')`, REPLICATION);

export const dropSlot = (query: Query, slot: string): Promise<void> =>
  withRights(query, `SELECT pg_drop_replication_slot('${slot}')`, REPLICATION);
