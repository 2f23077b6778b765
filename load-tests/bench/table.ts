/** Figures of a run as a table of text. */
import type { SearchFigures, ServerFigures } from './measure-server.ts';
import { percentile } from './statistics.ts';

const MIB = 1 << 20;

const round = (value: number): string =>
  Number.isFinite(value) ? (value >= 100 ? value.toFixed(0) : value.toFixed(2)) : '-';

export function formatTable(figures: ServerFigures): string {
  const rows: string[][] = [['figure', 'value']];
  const row = (label: string, value: number): void => void rows.push([label, round(value)]);
  row('documents', figures.documents);
  row('indexing, documents/s', figures.documentsPerSecond);
  row('update of 100 documents, ms', figures.updateMs);
  row('disk / raw JSON', figures.diskOverRaw);
  row('memory after indexing, MiB', figures.memoryAfterBytes / MIB);
  row('memory peak, MiB', figures.memoryPeakBytes / MIB);
  for (const [situation, { loads }] of Object.entries(figures.searches)) {
    for (const [connections, { queriesPerSecond, latency }] of Object.entries(loads)) {
      const where = `${situation}, ${connections} connections`;
      row(`${where}: queries/s`, queriesPerSecond);
      for (const [category, { p50Ms, p90Ms, p99Ms }] of Object.entries(latency)) {
        if (situation !== 'at rest' && category !== 'all') continue;
        row(`${where}: ${category} p50, ms`, p50Ms);
        row(`${where}: ${category} p90, ms`, p90Ms);
        row(`${where}: ${category} p99, ms`, p99Ms);
      }
    }
  }
  return [aligned(rows), ...Object.entries(figures.searches).map(slowest)].join('\n\n');
}

export const shownMs = (ms: number): string => ms.toFixed(ms < 10 ? 2 : 0);

/** Headings and cells of measured milliseconds. */
export const TIME_COLUMNS = ['times', 'least ms', 'p50', 'p99'];
export const timeCells = (times: readonly number[]): string[] => [
  String(times.length),
  ...[0, 0.5, 0.99].map((p) => shownMs(percentile(times, p))),
];

/** Rows of as many cells each, the first with the names of the columns. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]!.length)),
  );
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const slowest = ([situation, { slowest: queries }]: [string, SearchFigures]): string =>
  [
    `slowest ${situation}:`,
    ...queries.map(({ milliseconds, body }) => `  ${round(milliseconds)} ms  ${body}`),
  ].join('\n');
