/** Figures of a run as a table of text. */
import type { SearchFigures, ServerFigures } from './measure-server.ts';
import type { RivalFigures } from './minisearch-rival.ts';

const MIB = 1 << 20;

const round = (value: number): string =>
  Number.isFinite(value) ? (value >= 100 ? value.toFixed(0) : value.toFixed(2)) : '-';

export function formatTable(ours: ServerFigures, rival: RivalFigures | null): string {
  const rows: string[][] = [['figure', 'gannet', ...(rival ? ['minisearch', 'ratio'] : [])]];
  const row = (label: string, value: number, other?: number): void => {
    const rest = rival
      ? other === undefined
        ? ['', '']
        : [round(other), round(value / other)]
      : [];
    rows.push([label, round(value), ...rest]);
  };
  row('documents', ours.documents);
  row('indexing, documents/s', ours.documentsPerSecond, rival?.documentsPerSecond);
  row('update of 100 documents, ms', ours.updateMs);
  row('disk / raw JSON', ours.diskOverRaw);
  row('memory after indexing, MiB', ours.memoryAfterBytes / MIB);
  row('memory peak, MiB', ours.memoryPeakBytes / MIB);
  for (const [situation, { loads }] of Object.entries(ours.searches)) {
    const isRest = situation === 'at rest';
    for (const [at, [connections, { queriesPerSecond, latency }]] of Object.entries(
      loads,
    ).entries()) {
      const where = `${situation}, ${connections} connections`;
      row(
        `${where}: queries/s`,
        queriesPerSecond,
        isRest && at > 0 ? rival?.queriesPerSecond : undefined,
      );
      for (const [category, { p50Ms, p90Ms, p99Ms }] of Object.entries(latency)) {
        if (!isRest && category !== 'all') continue;
        const peer = isRest && at === 0 && category === 'all' ? rival : null;
        row(`${where}: ${category} p50, ms`, p50Ms, peer?.p50Ms);
        row(`${where}: ${category} p90, ms`, p90Ms);
        row(`${where}: ${category} p99, ms`, p99Ms, peer?.p99Ms);
      }
    }
  }
  return [aligned(rows), ...Object.entries(ours.searches).map(slowest)].join('\n\n');
}

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
