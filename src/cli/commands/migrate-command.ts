/**
 * `gannet migrate`: migrates indexes of another server, or of its exports, into a running server.
 */

import { existsSync } from 'node:fs';
import { counted } from '../../core/counted.ts';
import { type Command, type CommandCall, jsonOption, listOption, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { PART_SIZE_OPTION, partBytesOf } from '../documents/file-parts.ts';
import { Instance } from '../instance-client.ts';
import { dumpSource } from '../migrate/dump-source.ts';
import { algoliaSource, elasticsearchSource, typesenseSource } from '../migrate/exports.ts';
import { meilisearchSource } from '../migrate/meilisearch-source.ts';
import { type MigrationSource, notesAbout } from '../migrate/migration-source.ts';
import { migrationStateFile, withNotes } from '../migrate/migration-state.ts';
import { Migration, type MigrationReport } from '../migrate/run-migration.ts';
import { fileIdentity } from '../state-file.ts';
import type { Terminal } from '../terminal.ts';

interface Asked extends CommandCall {
  /** Arguments after the name of the system. */
  readonly places: readonly string[];
  readonly partBytes: number;
}

interface System {
  /** Options of this system only. */
  readonly options: readonly string[];
  readonly open: (asked: Asked) => Promise<MigrationSource> | MigrationSource;
  /** True if the arguments are files. */
  readonly readsFiles: boolean;
}

const wantedOf = ({ options }: Asked): readonly string[] => listOption(options, 'index') ?? ['*'];

const onePlace = ({ places }: Asked): string => {
  const [place = '', ...more] = places;
  if (more.length === 0) return place;
  throw new CommandFailure('expected one URL or file: see `gannet migrate --help`', EXIT.usage);
};

const exported = (open: typeof algoliaSource, ...options: string[]): System => ({
  options: ['index', ...options],
  readsFiles: true,
  open: ({ places: files, options: given, partBytes }) =>
    open({ files, options: given, partBytes }),
});

const SYSTEMS: Readonly<Record<string, System>> = {
  meilisearch: {
    options: ['index', 'from-key', 'embedder-keys', 'no-keys'],
    readsFiles: false,
    open: (asked) => {
      const { options, env, partBytes } = asked;
      const key = textOption(options, 'from-key') ?? (env['GANNET_FROM_KEY'] || null);
      return meilisearchSource({
        instance: new Instance(onePlace(asked), key),
        wanted: wantedOf(asked),
        embedderKeys: (jsonOption(options, 'embedder-keys') ?? {}) as Record<string, string>,
        withKeys: options['no-keys'] !== true,
        partBytes,
        now: Date.now(),
      });
    },
  },
  dump: {
    options: ['index', 'no-keys'],
    readsFiles: true,
    open: (asked) =>
      dumpSource({
        file: onePlace(asked),
        wanted: wantedOf(asked),
        withKeys: asked.options['no-keys'] !== true,
        partBytes: asked.partBytes,
        now: Date.now(),
      }),
  },
  typesense: exported(
    typesenseSource,
    'schema',
    'synonyms',
    'stop-words',
    'rules',
    'query-by',
    'query-by-weights',
  ),
  algolia: exported(algoliaSource, 'settings', 'synonyms', 'rules'),
  elasticsearch: exported(elasticsearchSource, 'mapping', 'settings', 'primary-key'),
};
const NAMES = Object.keys(SYSTEMS).join('|');

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Migrates indexes from Meilisearch, Typesense, Algolia or Elasticsearch',
  usage: `${NAMES} URL|FILE...`,
  arguments: [2, Number.POSITIVE_INFINITY],
  asksServer: true,
  options: {
    'index UID': 'target index name; meilisearch and dump: only these indexes, comma-separated',
    'from-key KEY': 'API key of the source Meilisearch (default: GANNET_FROM_KEY)',
    'embedder-keys JSON': 'API keys of its embedders by name, which its API hides',
    'no-keys': 'does not migrate API keys',
    'schema FILE': 'typesense: the collection as its API returns it',
    'settings FILE': 'algolia, elasticsearch: settings as the API returns them',
    'mapping FILE': 'elasticsearch: mapping as the API returns it',
    'synonyms FILE': 'typesense, algolia: synonyms',
    'rules FILE': 'algolia: rules; typesense: overrides',
    'stop-words FILE': 'typesense: stop word sets',
    'query-by LIST': 'typesense: `query_by` of the searches',
    'query-by-weights LIST': 'typesense: `query_by_weights` of the searches',
    'primary-key FIELD': 'elasticsearch: primary key field (default: _id)',
    'into-existing': 'replaces the settings of existing indexes and adds documents to them',
    'dry-run': 'prints the changes without sending anything',
    restart: 'starts over instead of resuming an interrupted migration',
    ...PART_SIZE_OPTION,
  },
  async run(call) {
    const [name = '', ...places] = call.arguments;
    const system = Object.hasOwn(SYSTEMS, name) ? SYSTEMS[name] : undefined;
    if (system === undefined)
      throw new CommandFailure(`\`${name}\` is not a supported system: ${NAMES}`, EXIT.usage);
    checkOptions(name, system, call);
    const missing = system.readsFiles ? places.find((file) => !existsSync(file)) : undefined;
    if (missing !== undefined) throw new CommandFailure(`file not found: ${missing}`);
    const { options, terminal, instance: target, env } = call;
    const partBytes = partBytesOf(options);
    terminal.progress(`${places.join(', ')}: reading settings`);
    const source = await system.open({ ...call, places, partBytes });
    try {
      if (options['dry-run'] === true) return await printPlan(source, terminal);
      const from = system.readsFiles ? places.map(fileIdentity) : places;
      const work = { name, from, url: target.url, index: options['index'] ?? null, partBytes };
      const file = migrationStateFile(work, env);
      if (options['restart'] === true) file.remove();
      const mayExist = options['into-existing'] === true;
      const report = await new Migration({ source, target, terminal, file, mayExist }).run();
      return printReport(report, terminal);
    } finally {
      source.close();
    }
  },
};

function checkOptions(name: string, { options }: System, call: CommandCall): void {
  const ofSystems = Object.values(SYSTEMS).flatMap((system) => system.options);
  const other = Object.keys(call.options).find(
    (option) => ofSystems.includes(option) && !options.includes(option),
  );
  if (other !== undefined)
    throw new CommandFailure(`\`gannet migrate ${name}\` does not use --${other}`, EXIT.usage);
}

/**
 * Reads the documents of files too, because notes about documents come up only while reading them.
 */
async function printPlan(source: MigrationSource, terminal: Terminal): Promise<number> {
  const counts = new Map<string, number>();
  let notes = withNotes([], source.notes);
  for (const index of source.indexes) notes = withNotes(notes, notesAbout(index.uid, index.notes));
  if (source.indexes[0]?.documents === undefined)
    for await (const part of source.parts(null)) {
      notes = withNotes(notes, part.notes);
      for (const { indexUid, documents } of part.batches)
        counts.set(indexUid, (counts.get(indexUid) ?? 0) + documents);
      const read = [...counts.values()].reduce((sum, count) => sum + count, 0);
      terminal.progress(`${counted(read, 'document')} read`);
    }
  const unknown = [...counts.keys()].filter((uid) =>
    source.indexes.every((index) => index.uid !== uid),
  );
  const indexes = [
    ...source.indexes.map(({ uid, primaryKey, documents, settings }) => {
      return { uid, primaryKey, documents: documents ?? counts.get(uid) ?? 0, settings };
    }),
    ...unknown.map((uid) => {
      return { uid, primaryKey: null, documents: counts.get(uid) ?? 0, settings: {} };
    }),
  ];
  for (const { uid, primaryKey, documents, settings } of indexes) {
    const key = primaryKey === null ? 'no primary key' : `primary key ${primaryKey}`;
    terminal.print(`${uid}: ${counted(documents, 'document')}, ${key}`);
    for (const [name, value] of Object.entries(settings))
      terminal.print(`  ${name}: ${JSON.stringify(value)}`);
  }
  if (source.keys.length > 0) terminal.print(counted(source.keys.length, 'API key'));
  printNotes(notes, terminal);
  terminal.json({ dryRun: true, indexes, keys: source.keys.length, notes });
  return EXIT.done;
}

function printReport(report: MigrationReport, terminal: Terminal): number {
  for (const { uid, documents, expected } of report.indexes) {
    const of = expected === documents ? '' : ` (${expected.toLocaleString('en')} sent)`;
    terminal.print(`${uid}: ${counted(documents, 'document')}${of}`);
  }
  if (report.keys > 0) terminal.print(counted(report.keys, 'API key'));
  printNotes(report.notes, terminal);
  terminal.json(report);
  for (const failure of report.failures) terminal.note(`gannet: ${failure}`);
  return report.failures.length === 0 ? EXIT.done : EXIT.failed;
}

function printNotes(notes: MigrationReport['notes'], terminal: Terminal): void {
  if (notes.length > 0) terminal.print('differences:');
  for (const { about, name, message, count } of notes) {
    const times = count > 1 ? ` (${count.toLocaleString('en')} times)` : '';
    terminal.print(`  ${about}  ${name}: ${message}${times}`);
  }
}
