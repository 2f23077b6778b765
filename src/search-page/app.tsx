/**
 * Start here: header with index and views, the API key form, and the view that the address names.
 */

import { useMemo, useState } from 'preact/hooks';
import { ApiClient } from './api-client.ts';
import { DocumentsView } from './documents/documents-view.tsx';
import { IndexesView } from './indexes/indexes-view.tsx';
import { AnalyticsView } from './manage/analytics-view.tsx';
import { BackupsView } from './manage/backups-view.tsx';
import { ConsoleView } from './manage/console-view.tsx';
import { KeysView } from './manage/keys-view.tsx';
import { RulesView } from './manage/rules-view.tsx';
import { TasksView } from './manage/tasks-view.tsx';
import { fragmentOf, type PageAddress, VIEWS, type View } from './page-address.ts';
import { submitting } from './parts/button.tsx';
import { FailureNote } from './parts/failure-note.tsx';
import { Select } from './parts/select.tsx';
import { useAddress } from './parts/use-address.ts';
import { type Requested, useGet, useRequest } from './parts/use-request.ts';
import { SearchView } from './search/search-view.tsx';
import { SettingsView } from './settings/settings-view.tsx';
import type { IndexList, ViewProps } from './view.ts';

/** Users find further indexes by typing their names into the address. */
const INDEXES_LISTED_MAX = 1000;

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
  const listed = indexes.answer?.results ?? [];
  const uids = listed.map(({ uid }) => uid);
  const index = address.index ?? uids[0] ?? null;
  const failure = isSearchOnly ? null : indexes.failure;
  const view = isSearchOnly ? 'search' : address.view;
  const View = BODIES[view];
  return (
    <>
      <header class="head">
        <a class="name" href="#/search">
          Gannet
        </a>
        <ViewLinks
          address={address}
          views={isSearchOnly ? ['search'] : (Object.keys(VIEWS) as View[])}
        />
        <div class="controls">
          {isSearchOnly ? (
            <IndexName index={index} port={port} />
          ) : (
            <IndexChoice uids={uids} index={index} port={port} />
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
          uids={uids}
          index={index}
          primaryKey={listed.find(({ uid }) => uid === index)?.primaryKey ?? null}
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
        href={fragmentOf({ view, index: address.index, state: {} })}
        aria-current={view === address.view ? 'page' : undefined}
      >
        {VIEWS[view]}
      </a>
    ))}
    <a href="docs">Docs</a>
  </nav>
);

/** For keys that may not list indexes. */
function IndexName({ index, port }: Pick<ViewProps, 'index' | 'port'>) {
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

function IndexChoice({ uids, index, port }: Pick<ViewProps, 'uids' | 'index' | 'port'>) {
  const shown = index === null || uids.includes(index) ? uids : [index, ...uids];
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

interface KeyFormProps {
  readonly api: ApiClient;
  /** True if the server refused the current key. */
  readonly isNeeded: boolean;
  readonly onChange: () => void;
}

/** The API key of the requests, open when a key is needed. */
function KeyForm({ api, isNeeded, onChange }: KeyFormProps) {
  const [text, setText] = useState(api.key);
  const submit = () => {
    api.key = text.trim();
    onChange();
  };
  return (
    <details class="key" open={isNeeded}>
      <summary>API key</summary>
      <form onSubmit={submitting(submit)}>
        <label>
          API key{' '}
          <input
            type="password"
            autocomplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Use key</button>
        <p>Stored until this tab is closed.</p>
      </form>
    </details>
  );
}
