/** Figures of a run as a table of text. */
import type { ServerFigures } from './measure-server.ts';
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
  row('queries/s, several clients', ours.queriesPerSecond, rival?.queriesPerSecond);
  for (const [category, { p50Ms, p99Ms }] of Object.entries(ours.latency)) {
    const isAll = category === 'all';
    row(`${category} p50, ms`, p50Ms, isAll ? rival?.p50Ms : undefined);
    row(`${category} p99, ms`, p99Ms, isAll ? rival?.p99Ms : undefined);
  }
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
