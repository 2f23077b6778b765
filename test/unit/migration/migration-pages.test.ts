/** Migration docs contain the rows of the mapping tables. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ALGOLIA_SETTINGS } from '../../../src/migration/algolia-settings.ts';
import { ELASTICSEARCH_FILTERS } from '../../../src/migration/elasticsearch-analysis.ts';
import {
  ELASTICSEARCH_FIELD,
  ELASTICSEARCH_TYPES,
} from '../../../src/migration/elasticsearch-fields.ts';
import {
  TYPESENSE_FIELD,
  TYPESENSE_SCHEMA,
  TYPESENSE_TYPES,
} from '../../../src/migration/from-typesense.ts';

interface Told {
  readonly becomes: string | null;
  readonly says?: string;
}

const rowsOf = (table: Readonly<Record<string, Told>>): string[] =>
  Object.entries(table).map(
    ([name, { becomes, says = '' }]) => `| \`${name}\` | ${becomes ?? '—'} | ${says} |`,
  );

describe('a migration page', () => {
  it.each([
    ['algolia', [ALGOLIA_SETTINGS]],
    ['typesense', [TYPESENSE_SCHEMA, TYPESENSE_FIELD, TYPESENSE_TYPES]],
    ['elasticsearch', [ELASTICSEARCH_TYPES, ELASTICSEARCH_FIELD, ELASTICSEARCH_FILTERS]],
  ] as const)('from %s has a row for each name in the tables', (system, tables) => {
    const page = readFileSync(`docs/migrating-from-${system}.md`, 'utf8');
    for (const table of tables) expect(page).toContain(rowsOf(table).join('\n'));
  });
});
