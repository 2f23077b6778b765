/** All indexes with their statistics, and the form that imports files. */
import { humanSize } from '../../core/human-size.ts';
import { api } from '../api-client.ts';
import { Button } from '../parts/button.tsx';
import { useDeletion } from '../parts/deletion-dialog.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { humanCount, humanTime } from '../parts/human.ts';
import { Table } from '../parts/table.tsx';
import { useGet } from '../parts/use-request.ts';
import { useWrite, WriteNote } from '../parts/use-write.tsx';
import type { ViewProps } from '../view.ts';
import { ImportForm } from './import-form.tsx';

interface IndexStats {
  readonly numberOfDocuments: number;
  readonly rawDocumentDbSize: number;
  readonly avgDocumentSize: number;
  readonly isIndexing: boolean;
  readonly numberOfEmbeddings: number;
  readonly fieldDistribution: Readonly<Record<string, number>>;
}

interface Stats {
  readonly databaseSize: number;
  readonly usedDatabaseSize: number;
  readonly lastUpdate: string | null;
  readonly indexes: Readonly<Record<string, IndexStats>>;
}

const EVERY_MS = 2000;

export function IndexesView({ indexes }: ViewProps) {
  const stats = useGet<Stats>('stats', EVERY_MS);
  const renew = () => {
    indexes.refresh();
    stats.refresh();
  };
  const deletion = useWrite(renew);
  const { ask, dialog } = useDeletion(questionOf, (uid: string) => {
    void deletion.write(`Delete index ${uid}`, () =>
      api.request('DELETE', `indexes/${encodeURIComponent(uid)}`),
    );
  });
  return (
    <section class="indexes">
      <h1>Indexes</h1>
      <ImportForm onDone={renew} />
      <FailureNote failure={stats.failure} />
      <WriteNote state={deletion.state} />
      {stats.answer !== null && <IndexTable stats={stats.answer} onDelete={ask} />}
      {dialog}
    </section>
  );
}

const questionOf = (uid: string) => ({
  title: `Delete index ${uid}`,
  action: 'Delete index',
  typedIndex: uid,
  children: <p>All its documents and settings are deleted.</p>,
});

interface IndexTableProps {
  readonly stats: Stats;
  readonly onDelete: (uid: string) => void;
}

const IndexTable = ({ stats, onDelete }: IndexTableProps) =>
  Object.keys(stats.indexes).length === 0 ? (
    <p>There is no index yet. A file that you import makes one.</p>
  ) : (
    <Table
      class="cards"
      caption={`${humanSize(stats.usedDatabaseSize)} on disk; last change ${humanTime(stats.lastUpdate, new Date()) || 'never'}`}
      titles={['Index', 'Documents', 'JSON', 'Vectors', 'Fields', 'Action']}
    >
      {Object.entries(stats.indexes).map(([uid, about]) => (
        <tr key={uid}>
          <th scope="row" data-title="Index">
            <span>
              <a href={`#/search/${encodeURIComponent(uid)}`}>{uid}</a>
              {about.isIndexing && ' (indexing)'}
            </span>
          </th>
          <td data-title="Documents">{humanCount(about.numberOfDocuments)}</td>
          <td data-title="JSON">{humanSize(about.rawDocumentDbSize)}</td>
          <td data-title="Vectors">{humanCount(about.numberOfEmbeddings)}</td>
          <td data-title="Fields">
            <details>
              <summary>
                {Object.keys(about.fieldDistribution).length}
                <span class="hidden"> fields of {uid}</span>
              </summary>
              <ul>
                {Object.entries(about.fieldDistribution).map(([field, count]) => (
                  <li key={field}>
                    {field} <span class="count">{humanCount(count)}</span>
                  </li>
                ))}
              </ul>
            </details>
          </td>
          <td data-title="Action">
            <div class="buttons">
              <a href={`#/settings/${encodeURIComponent(uid)}`}>Settings</a>
              <Button text="Delete" about={` ${uid}`} class="quiet" onClick={() => onDelete(uid)} />
            </div>
          </td>
        </tr>
      ))}
    </Table>
  );
