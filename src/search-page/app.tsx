/**
 * Start here: header with index and views, the API key form, and the view that the address names.
 */
import { useMemo } from 'preact/hooks';
import { ApiClient } from './api-client.ts';
import { DocumentsView } from './documents/documents-view.tsx';
import { IndexesView } from './indexes/indexes-view.tsx';
import { AnalyticsView } from './manage/analytics-view.tsx';
import { BackupsView } from './manage/backups-view.tsx';
import { ConsoleView } from './manage/console-view.tsx';
import { KeysView } from './manage/keys-view.tsx';
import { RulesView } from './manage/rules-view.tsx';
import { TasksView } from './manage/tasks-view.tsx';
import { type PageAddress, VIEWS, type View } from './page-address.ts';
import { FailureNote } from './parts/failure-note.tsx';
import { KeyForm } from './parts/key-form.tsx';
import { Select } from './parts/select.tsx';
import { type AddressPort, useAddress } from './parts/use-address.ts';
import { type Requested, useGet, useRequest } from './parts/use-request.ts';
import { SearchView } from './search/search-view.tsx';
import { SettingsView } from './settings/settings-view.tsx';
import type { IndexList, ViewProps } from './view.ts';

/** Users find further indexes by typing their names into the address. */
const INDEXES_LISTED_MAX = 1000;

const TITLES: Readonly<Record<View, string>> = {
  search: 'Search',
  documents: 'Documents',
  tasks: 'Tasks',
  indexes: 'Indexes',
  settings: 'Settings',
  rules: 'Rules',
  analytics: 'Analytics',
  keys: 'Keys',
  backups: 'Backups',
  console: 'Console',
};

const BODIES: Readonly<Record<View, (props: ViewProps) => preact.JSX.Element | null>> = {
  search: SearchView,
  documents: DocumentsView,
  tasks: TasksView,
  indexes: IndexesView,
  settings: SettingsView,
  rules: RulesView,
  analytics: AnalyticsView,
  keys: KeysView,
  backups: BackupsView,
  console: ConsoleView,
};

export function App() {
  const api = useMemo(() => new ApiClient(), []);
  const port = useAddress();
  const { address } = port;
  const indexes = useGet<IndexList>(api, `indexes?limit=${INDEXES_LISTED_MAX}`);
  const isSearchOnly = useSearchOnly(api, indexes);
  const index = address.index ?? indexes.answer?.results[0]?.uid ?? null;
  const failure = isSearchOnly ? null : indexes.failure;
  const view = isSearchOnly ? 'search' : address.view;
  const View = BODIES[view];
  return (
    <>
      <header class="head">
        <a class="name" href="#/search">
          Gannet
        </a>
        <ViewLinks address={address} views={isSearchOnly ? ['search'] : VIEWS} />
        <div class="controls">
          {isSearchOnly ? (
            <IndexName index={index} port={port} />
          ) : (
            <IndexChoice indexes={indexes.answer} index={index} port={port} />
          )}
          <KeyForm api={api} isNeeded={failure?.isAboutKey === true} onChange={indexes.refresh} />
        </div>
      </header>
      <main>
        <FailureNote failure={failure} />
        <View
          key={view}
          api={api}
          port={port}
          indexes={indexes}
          index={index}
          isSearchOnly={isSearchOnly}
        />
      </main>
    </>
  );
}

/** True if the key was refused the list of indexes but may search. */
function useSearchOnly(api: ApiClient, indexes: Requested<IndexList>): boolean {
  const isRefused = api.key !== '' && indexes.failure?.isAboutKey === true;
  const search = useRequest<unknown>(
    isRefused
      ? (signal) => api.request('POST', 'multi-search', { body: { queries: [] }, signal })
      : null,
    [isRefused, api.key],
  );
  return isRefused && search.answer !== null && search.failure === null;
}

interface ViewLinksProps {
  readonly address: PageAddress;
  readonly views: readonly View[];
}

const ViewLinks = ({ address, views }: ViewLinksProps) => (
  <nav aria-label="Views">
    {views.map((view) => (
      <a
        key={view}
        href={`#/${view}${address.index === null ? '' : `/${encodeURIComponent(address.index)}`}`}
        aria-current={view === address.view ? 'page' : undefined}
      >
        {TITLES[view]}
      </a>
    ))}
    <a href="docs">Docs</a>
  </nav>
);

/** For keys that may not list indexes. */
function IndexName({ index, port }: Pick<IndexChoiceProps, 'index' | 'port'>) {
  return (
    <label class="index-choice">
      <span class="hidden">Index name</span>
      <input
        value={index ?? ''}
        placeholder="Index name"
        spellcheck={false}
        autocapitalize="off"
        onChange={(event) => port.go({ view: 'search', index: event.currentTarget.value.trim() })}
      />
    </label>
  );
}

interface IndexChoiceProps {
  readonly indexes: IndexList | null;
  readonly index: string | null;
  readonly port: AddressPort;
}

function IndexChoice({ indexes, index, port }: IndexChoiceProps) {
  const known = indexes?.results.map(({ uid }) => uid) ?? [];
  const shown = index === null || known.includes(index) ? known : [index, ...known];
  if (shown.length === 0) return null;
  return (
    <div class="index-choice">
      <Select
        name="Index"
        value={index ?? ''}
        options={shown}
        onChange={(chosen) => port.go({ index: chosen })}
      />
    </div>
  );
}
