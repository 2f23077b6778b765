/** The documents of an index: browse with filter, order and pages; open, edit, add, delete. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { Button } from '../parts/button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { humanCount } from '../parts/human.ts';
import { Select } from '../parts/select.tsx';
import { Table } from '../parts/table.tsx';
import { useNarrow } from '../parts/use-narrow.ts';
import { type Requested, useGet, usePost } from '../parts/use-request.ts';
import { useWrite, WriteNote, type Writes } from '../parts/use-write.tsx';
import { FieldValue } from '../search/field-value.tsx';
import { ordersOf } from '../search/search-form.tsx';
import type { IndexViewProps } from '../view.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { DocumentDialog } from './document-dialog.tsx';
import {
  columnsOf,
  type DocumentsState,
  documentsAddressOf,
  documentsStateOf,
  PAGE_SIZE,
  pageRequestOf,
} from './documents-state.ts';
import { emptyLike } from './json-text.ts';

type StoredFields = Readonly<Record<string, unknown>>;

interface DocumentPage {
  readonly results: readonly StoredFields[];
  readonly total: number;
}

type Opened = 'new' | 'matching' | 'empty' | null;

export function DocumentsView(props: IndexViewProps) {
  const { port, index, indexes, primaryKey } = props;
  const state = documentsStateOf(port.address.state);
  const change = (next: Partial<DocumentsState>) =>
    port.stay({ ...documentsAddressOf({ ...state, page: 1, ...next }) });
  const path = `indexes/${encodeURIComponent(index)}`;
  const settings = useGet<{ readonly sortableAttributes: readonly string[] }>(`${path}/settings`);
  const { page } = state;
  const documents = usePost<DocumentPage>(`${path}/documents/fetch`, pageRequestOf(state));
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => {
    setOpened(null);
    if (state.id !== '') change({ page, id: '' });
  };
  const writes = useWrite(() => {
    documents.refresh();
    if (primaryKey === null) indexes.refresh();
    close();
  });
  const open = (next: Opened) => {
    writes.clear();
    setOpened(next);
  };
  return (
    <section class="documents" aria-label={`Documents of ${index}`}>
      <header class="row view-head">
        <h1>Documents</h1>
        <Button text="Add document" onClick={() => open('new')} />
        <Button text="Empty index …" class="quiet" onClick={() => open('empty')} />
      </header>
      <BrowseForm
        state={state}
        sortable={settings.answer?.sortableAttributes ?? []}
        onChange={change}
        onDelete={() => open('matching')}
      />
      <FailureNote failure={documents.failure} />
      {opened === null && state.id === '' && <WriteNote state={writes.state} />}
      <DocumentTable
        documents={documents}
        primaryKey={primaryKey}
        page={page}
        onOpen={(id) => {
          writes.clear();
          change({ page, id });
        }}
      />
      <Pages
        total={documents.answer?.total ?? 0}
        page={page}
        onPage={(to) => change({ page: to })}
      />
      <Dialogs
        {...props}
        state={state}
        opened={opened}
        writes={writes}
        template={templateOf(documents.answer?.results[0], primaryKey)}
        onClose={close}
      />
    </section>
  );
}

/** Text of a new document: the fields of one that is there. */
const templateOf = (like: StoredFields | undefined, primaryKey: string | null): string =>
  emptyLike(like ?? { [primaryKey ?? 'id']: '' });

interface DialogsProps extends IndexViewProps {
  readonly state: DocumentsState;
  readonly opened: Opened;
  readonly writes: Writes;
  readonly template: string;
  readonly onClose: () => void;
}

function Dialogs({ state, opened, template, ...shared }: DialogsProps) {
  if (state.id !== '') return <DocumentDialog {...shared} id={state.id} template="" />;
  if (opened === 'new') return <DocumentDialog {...shared} id={null} template={template} />;
  if (opened === null) return null;
  return <DeleteDialog {...shared} filter={opened === 'matching' ? state.filter : null} />;
}

interface BrowseFormProps {
  readonly state: DocumentsState;
  readonly sortable: readonly string[];
  readonly onChange: (next: Partial<DocumentsState>) => void;
  readonly onDelete: () => void;
}

function BrowseForm({ state, sortable, onChange, onDelete }: BrowseFormProps) {
  const orders = ordersOf(sortable, null);
  return (
    <search class="row browse">
      <input
        class="filter"
        aria-label="Filter"
        placeholder="Filter, such as year > 1999 AND genre = Drama"
        spellcheck={false}
        autocapitalize="off"
        value={state.filter}
        onInput={(event) => onChange({ filter: event.currentTarget.value })}
      />
      {state.filter.trim() !== '' && (
        <Button text="Delete matching …" class="quiet" onClick={onDelete} />
      )}
      {orders.length > 1 && (
        <Select
          name="Order"
          value={state.sort}
          options={[['', 'order of addition'], ...orders.slice(1)]}
          onChange={(order) => onChange({ sort: order })}
        />
      )}
    </search>
  );
}

const COLUMNS = 6;
const COLUMNS_NARROW = 2;

interface DocumentTableProps {
  readonly documents: Requested<DocumentPage>;
  readonly primaryKey: string | null;
  readonly page: number;
  readonly onOpen: (id: string) => void;
}

function DocumentTable({ documents, primaryKey, page, onOpen }: DocumentTableProps) {
  const isNarrow = useNarrow();
  const { answer } = documents;
  if (answer === null) return null;
  const { results, total } = answer;
  if (total === 0)
    return (
      <p class="empty" role="status">
        No documents.
      </p>
    );
  const columns = columnsOf(results, primaryKey, isNarrow ? COLUMNS_NARROW : COLUMNS);
  const first = (page - 1) * PAGE_SIZE + 1;
  return (
    <Table
      caption={
        results.length === 0
          ? counted(total, 'document')
          : `${humanCount(first)} – ${humanCount(first + results.length - 1)} of ${counted(total, 'document')}`
      }
      titles={columns}
    >
      {results.map((document, place) => (
        <DocumentRow
          key={primaryKey === null ? place : String(document[primaryKey])}
          document={document}
          columns={columns}
          primaryKey={primaryKey}
          onOpen={onOpen}
        />
      ))}
    </Table>
  );
}

interface DocumentRowProps {
  readonly document: StoredFields;
  readonly columns: readonly string[];
  readonly primaryKey: string | null;
  readonly onOpen: (id: string) => void;
}

const DocumentRow = ({ document, columns, primaryKey, onOpen }: DocumentRowProps) => (
  <tr>
    {columns.map((name) =>
      name === primaryKey ? (
        <th key={name} scope="row">
          <Button
            text={String(document[name])}
            class="ghost"
            onClick={() => onOpen(String(document[name]))}
          />
        </th>
      ) : (
        <td key={name} dir="auto">
          <div class="cell">
            {document[name] == null ? '' : <FieldValue name={name} value={document[name]} />}
          </div>
        </td>
      ),
    )}
  </tr>
);

interface PagesProps {
  readonly total: number;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

function Pages({ total, page, onPage }: PagesProps) {
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  if (last === 1 && page === 1) return null;
  return (
    <nav class="row pages" aria-label="Pages">
      <Button text="Previous" class="quiet" disabled={page <= 1} onClick={() => onPage(page - 1)} />
      <span>
        Page {humanCount(page)} of {humanCount(last)}
      </span>
      <Button text="Next" class="quiet" disabled={page >= last} onClick={() => onPage(page + 1)} />
    </nav>
  );
}
