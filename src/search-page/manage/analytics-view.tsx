/**
 * What users searched for in the index, or in all: figures, searches and clicks by day, lists of
 * queries, figures by index and by filter.
 */
import { FailureNote } from '../parts/failure-note.tsx';
import { humanCount } from '../parts/human.ts';
import { Select } from '../parts/select.tsx';
import { Table } from '../parts/table.tsx';
import { useGet } from '../parts/use-request.ts';
import type { ViewProps } from '../view.ts';
import {
  type DayFigures,
  everyDay,
  type Figures,
  firstDay,
  percent,
  place,
  summaryOf,
} from './analytics-figures.ts';
import { BarPlot } from './bar-plot.tsx';

interface Report<Entry> {
  readonly from: string;
  readonly to: string;
  readonly results: readonly Entry[];
  readonly all: Figures;
  readonly isComplete: boolean;
}
type Group = 'query' | 'index' | 'filter';
type GroupFigures = Figures & Readonly<Partial<Record<Group, string>>>;

const PERIODS = [7, 30, 90];
const QUERIES_SHOWN = 10;
const GROUPS_SHOWN = 20;
const FILTER_CHARACTERS_MAX = 60;
const DAYS_DEFAULT = 30;

const LISTS = [
  { kind: 'top', title: 'Top queries' },
  { kind: 'noResults', title: 'Queries without results' },
  { kind: 'noClicks', title: 'Queries without clicks' },
] as const;

export function AnalyticsView({ port, index }: ViewProps) {
  const { state } = port.address;
  const days = Number(state['days'] ?? DAYS_DEFAULT);
  const isOfAll = state['of'] === 'all' || index === null;
  const filter = state['filter'] ?? '';
  const from = { from: firstDay(days, Date.now()) };
  const ofIndex = isOfAll ? {} : { indexUid: index };
  const ofFilter = filter === '' ? {} : { filter: filter.slice(1) };
  const scope = parametersOf({ ...from, ...ofIndex, ...ofFilter });
  const { answer, failure } = useGet<Report<DayFigures>>(`analytics/counts?${scope}&limit=${days}`);
  const countsBy = (by: Group, parameters: Readonly<Record<string, string>>): string =>
    `analytics/counts?${parametersOf({ by, ...from, ...parameters })}&limit=${GROUPS_SHOWN}`;
  const byIndex = useGet<Report<GroupFigures>>(countsBy('index', ofFilter)).answer;
  const byFilter = useGet<Report<GroupFigures>>(countsBy('filter', ofIndex)).answer;
  return (
    <section class="analytics">
      <h1>Analytics</h1>
      <div class="options">
        <Select
          label="Period"
          value={String(days)}
          options={PERIODS.map((count) => [String(count), `${count} days`])}
          onChange={(count) => port.stay({ ...state, days: count })}
        />
        <Select
          label="Searches"
          value={isOfAll ? 'all' : ''}
          options={[
            ...(index === null ? [] : [['', `of ${index}`] as const]),
            ['all', 'of all indexes'],
          ]}
          onChange={(of) => port.stay({ ...state, of })}
        />
        <Select
          label="Filter"
          value={filter}
          options={filterOptions(filter, byFilter)}
          onChange={(chosen) => port.stay({ ...state, filter: chosen })}
        />
      </div>
      <FailureNote failure={failure} />
      {failure === null && answer !== null && <Counts report={answer} />}
      {failure === null &&
        LISTS.map(({ kind, title }) => (
          <QueryList key={kind} title={title} path={`${scope}&kind=${kind}`} />
        ))}
      {failure === null && <FigureTable title="Indexes" by="index" report={byIndex} />}
      {failure === null && <FigureTable title="Filters" by="filter" report={byFilter} />}
    </section>
  );
}

const parametersOf = (parameters: Readonly<Record<string, string>>): string =>
  new URLSearchParams(parameters).toString();

/** Values are `=` and the text of the filter, '' for all searches. */
function filterOptions(chosen: string, report: Report<GroupFigures> | null) {
  const found = (report?.results ?? []).map(({ filter = '' }) => `=${filter}`);
  const values = chosen === '' || found.includes(chosen) ? found : [chosen, ...found];
  const textOf = (filter: string): string =>
    filter.length > FILTER_CHARACTERS_MAX ? `${filter.slice(0, FILTER_CHARACTERS_MAX)}…` : filter;
  return [
    ['', 'any or none'] as const,
    ...values.map((value) => [value, value === '=' ? 'none' : textOf(value.slice(1))] as const),
  ];
}

function Counts({
  report: { from, to, results, all, isComplete },
}: {
  report: Report<DayFigures>;
}) {
  const days = everyDay(results, from, to);
  return (
    <>
      {!isComplete && <p>There is more than a report can count: choose a shorter period.</p>}
      <dl class="summary row">
        {summaryOf(all).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="plots stack columns">
        <BarPlot
          title="Searches by day, without results marked"
          bars={days.map(({ day, searches, searchesWithoutResults }) => ({
            name: day,
            value: searches,
            text: `${humanCount(searches)}, ${humanCount(searchesWithoutResults)} without results`,
            marked: searchesWithoutResults,
          }))}
        />
        <BarPlot
          title="Click-through rate by day"
          bars={days.map(({ day, clickThroughRate }) => ({
            name: day,
            value: clickThroughRate ?? 0,
            text: percent(clickThroughRate),
          }))}
        />
      </div>
    </>
  );
}

interface QueryListProps {
  readonly title: string;
  /** Parameters of the report. */
  readonly path: string;
}

function QueryList({ title, path }: QueryListProps) {
  const { answer } = useGet<Report<GroupFigures>>(
    `analytics/queries?${path}&limit=${QUERIES_SHOWN}`,
  );
  return <FigureTable title={title} by="query" report={answer} />;
}

interface FigureTableProps {
  readonly title: string;
  readonly by: Group;
  readonly report: Report<GroupFigures> | null;
}

/** Title of the first column, and what stands there for no text. */
const NAMES = {
  query: ['Query', 'empty'],
  index: ['Index', ''],
  filter: ['Filter', 'none'],
} as const;

function FigureTable({ title, by, report }: FigureTableProps) {
  if (report === null) return null;
  const [column, empty] = NAMES[by];
  return (
    <>
      <h2>{title}</h2>
      {report.results.length === 0 ? (
        <p class="about">None.</p>
      ) : (
        <Table
          label={title}
          titles={[column, 'Searches', 'Without results', 'Clicked', 'Position']}
        >
          {report.results.map((figures) => (
            <tr key={figures[by]}>
              <th scope="row">{figures[by] || <i>{empty}</i>}</th>
              <td>{humanCount(figures.searches)}</td>
              <td>{humanCount(figures.searchesWithoutResults)}</td>
              <td>{percent(figures.clickThroughRate)}</td>
              <td>{place(figures.meanClickPosition)}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}
