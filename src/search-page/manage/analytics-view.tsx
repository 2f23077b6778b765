/** What users searched for in the index: figures, searches and clicks by day, lists of queries. */
import type { ApiClient } from '../api-client.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { humanCount } from '../parts/human.ts';
import { Select } from '../parts/select.tsx';
import { TableHead } from '../parts/table-head.tsx';
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
type QueryFigures = Figures & { readonly query: string };

const PERIODS = [7, 30, 90];
const QUERIES_SHOWN = 10;
const DAYS_DEFAULT = 30;

const LISTS = [
  { kind: 'top', title: 'Top queries' },
  { kind: 'noResults', title: 'Queries without results' },
  { kind: 'noClicks', title: 'Queries without clicks' },
] as const;

export function AnalyticsView({ api, port, index }: ViewProps) {
  const { state } = port.address;
  const days = Number(state['days'] ?? DAYS_DEFAULT);
  const scope = new URLSearchParams({
    from: firstDay(days, Date.now()),
    ...(index !== null && { indexUid: index }),
  }).toString();
  const { answer, failure } = useGet<Report<DayFigures>>(
    api,
    `analytics/counts?${scope}&limit=${days}`,
  );
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
      </div>
      <FailureNote failure={failure} />
      {failure === null && answer !== null && <Counts report={answer} />}
      {failure === null &&
        LISTS.map(({ kind, title }) => (
          <QueryList key={kind} api={api} title={title} path={`${scope}&kind=${kind}`} />
        ))}
    </section>
  );
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
      <dl class="summary">
        {summaryOf(all).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="plots">
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
  readonly api: ApiClient;
  readonly title: string;
  /** Parameters of the report. */
  readonly path: string;
}

function QueryList({ api, title, path }: QueryListProps) {
  const { answer } = useGet<Report<QueryFigures>>(
    api,
    `analytics/queries?${path}&limit=${QUERIES_SHOWN}`,
  );
  if (answer === null) return null;
  return (
    <>
      <h2>{title}</h2>
      {answer.results.length === 0 ? (
        <p class="about">None.</p>
      ) : (
        <table aria-label={title}>
          <TableHead titles={['Query', 'Searches', 'Without results', 'Clicked', 'Position']} />
          <tbody>
            {answer.results.map((figures) => (
              <tr key={figures.query}>
                <th scope="row">{figures.query === '' ? <i>empty</i> : figures.query}</th>
                <td>{humanCount(figures.searches)}</td>
                <td>{humanCount(figures.searchesWithoutResults)}</td>
                <td>{percent(figures.clickThroughRate)}</td>
                <td>{place(figures.meanClickPosition)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
