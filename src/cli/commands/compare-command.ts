/** `gannet compare`: replays queries of a file, or recorded ones, on two indexes, and reports changes. */
import { counted } from '../../core/counted.ts';
import { recordedFilter } from '../../model/analytics.ts';
import {
  CHANGES_SHOWN,
  type IndexComparison,
  mergedComparison,
  type QueryChange,
} from '../../model/comparison.ts';
import {
  type Command,
  type CommandCall,
  jsonOption,
  numberOption,
  textOption,
  wrongUsage,
} from '../command.ts';
import { CommandFailure } from '../command-failure.ts';
import { indexPath } from '../instance-client.ts';
import { parseQueries, queriesIn, type StoredQuery, saveResults } from '../judgments.ts';

const HITS_DEFAULT = 10;
const RECORDED_DEFAULT = 10_000;
const ROWS_SHOWN = 20;

type PartReport = IndexComparison & { readonly isComplete: boolean };

export const compareCommand: Command = {
  name: 'compare',
  summary: 'Compares the answers of two indexes to the queries of a file, or to recorded ones',
  usage: '[FILE] --index UID --candidate UID',
  arguments: [0, 1],
  asksServer: true,
  options: {
    'index UID': 'the index in use',
    'candidate UID': 'the index to compare with it, such as a branch',
    'recorded N': `without FILE: number of recorded queries, the most frequent ones (default: ${RECORDED_DEFAULT})`,
    'limit N': `number of first hits to compare (default: ${HITS_DEFAULT})`,
    'body JSON': 'more parameters of all searches, such as \'{"matchingStrategy":"any"}\'',
    'candidate-body JSON': 'those of the candidate, if they differ',
    'save FILE': 'file for the whole report, as JSON',
  },
  async run(call) {
    const { options, terminal } = call;
    const report = await reportOf(call);
    const limit = numberOption(options, 'limit', HITS_DEFAULT);
    for (const line of summaryOf(report, limit)) terminal.print(line);
    const shown = report.changes.slice(0, ROWS_SHOWN);
    if (shown.length > 0) for (const line of tableOf(shown)) terminal.print(line);
    const rest = report.changes.length - shown.length;
    if (rest > 0) terminal.print(`and ${rest} more`);
    terminal.json(report);
    saveResults(options, report);
  },
};

/** One request for each part of the queries. */
async function reportOf(call: CommandCall): Promise<IndexComparison> {
  const { arguments: files, options, instance, terminal } = call;
  const index = textOption(options, 'index');
  const candidate = textOption(options, 'candidate');
  if (index === null || candidate === null) throw wrongUsage(compareCommand);
  const search = jsonOption(options, 'body');
  const candidateSearch = jsonOption(options, 'candidate-body');
  const body = {
    candidate,
    limit: numberOption(options, 'limit', HITS_DEFAULT),
    ...(search !== undefined && { search }),
    ...(candidateSearch !== undefined && { candidateSearch }),
  };
  const [file] = files;
  const queries =
    file === undefined ? await recordedQueries(call, index) : queriesIn(file, parseQueries);
  const reports: IndexComparison[] = [];
  for (let start = 0; start < queries.length; ) {
    // A report lists the changes of as many queries, so none is lost.
    const part = queries.slice(start, start + CHANGES_SHOWN);
    const path = `${indexPath(index)}/compare`;
    const { isComplete: _, ...report } = await instance.request<PartReport>('POST', path, {
      body: { ...body, queries: part },
    });
    const done = report.queries + report.refusedQueries;
    if (done === 0) throw new CommandFailure('the server had no time for a single query');
    start += done;
    reports.push(report);
    terminal.progress(`${start} of ${queries.length} queries`);
  }
  terminal.progress(null);
  return mergedComparison(reports);
}

/** The most frequent ones of the search analytics with their filters, but for filters that were cut. */
async function recordedQueries(
  { options, instance }: Pick<CommandCall, 'options' | 'instance'>,
  index: string,
): Promise<StoredQuery[]> {
  const limit = numberOption(options, 'recorded', RECORDED_DEFAULT);
  const asked = new URLSearchParams({ indexUid: index, byFilter: 'true', limit: String(limit) });
  const { results } = await instance.request<{ results: { query: string; filter: string }[] }>(
    'GET',
    `/analytics/queries?${asked}`,
  );
  const queries = results.flatMap(({ query: q, filter: text }) => {
    const filter = recordedFilter(text);
    return filter === undefined ? [] : [{ q, filter }];
  });
  if (queries.length > 0) return queries;
  throw new CommandFailure(`the search analytics have no queries of ${index}`);
}

const change = (base: string, candidate: string): string => `${base} -> ${candidate}`;

function summaryOf(report: IndexComparison, limit: number): string[] {
  const { queries, refusedQueries, changedLists, changedFirstHits, overlap } = report;
  const { ndcg, judgedQueries, latencyMs } = report;
  const latency = (at: 'p50' | 'p95'): string =>
    `${at} ${change(latencyMs.base[at].toFixed(1), latencyMs.candidate[at].toFixed(1))} ms`;
  return [
    `${counted(queries, 'query', 'queries')}: ${changedLists} with other hits, ${changedFirstHits} with another first hit, overlap ${overlap.toFixed(3)}`,
    ...(refusedQueries === 0
      ? []
      : [`${counted(refusedQueries, 'query', 'queries')} left out, whose filter an index refuses`]),
    ...(ndcg === null
      ? []
      : [
          `nDCG@${limit} ${change(ndcg.base.toFixed(4), ndcg.candidate.toFixed(4))} (${judgedQueries} judged)`,
        ]),
    `${latency('p50')}, ${latency('p95')}`,
  ];
}

/** Rows of the changed queries, in columns. */
function tableOf(changes: readonly QueryChange[]): string[] {
  const rows = changes.map(({ q, filter, overlap, ndcg, base, candidate }) => [
    overlap.toFixed(2),
    ndcg === undefined ? '' : change(ndcg.base.toFixed(3), ndcg.candidate.toFixed(3)),
    change(base[0] ?? 'none', candidate[0] ?? 'none'),
    filter === undefined ? q : `${q} (${JSON.stringify(filter)})`,
  ]);
  const table = [['overlap', 'nDCG', 'first hit', 'query'], ...rows];
  const widths = [0, 1, 2].map((column) =>
    Math.max(...table.map((row) => (row[column] ?? '').length)),
  );
  return table.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '));
}
