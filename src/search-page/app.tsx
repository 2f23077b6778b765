/**
 * Start here: header with index and views, the API key form, and the view that the address names.
 */

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type ApiFailure, api } from './api-client.ts';
import { DocumentsView } from './documents/documents-view.tsx';
import { IndexesView } from './indexes/indexes-view.tsx';
import { AnalyticsView } from './manage/analytics-view.tsx';
import { BackupsView } from './manage/backups-view.tsx';
import { ConsoleView } from './manage/console-view.tsx';
import { KeysView } from './manage/keys-view.tsx';
import { RulesView } from './manage/rules-view.tsx';
import { TasksView } from './manage/tasks-view.tsx';
import { fragmentOf, type PageAddress, VIEWS, type View } from './page-address.ts';
import { Button, submitting } from './parts/button.tsx';
import { FailureAbove, FailureNote } from './parts/failure-note.tsx';
import { Select } from './parts/select.tsx';
import { useAddress } from './parts/use-address.ts';
import { type Requested, useGet, useRequest } from './parts/use-request.ts';
import { Waiting } from './parts/waiting.tsx';
import { SearchView } from './search/search-view.tsx';
import { SettingsView } from './settings/settings-view.tsx';
import type { IndexList, IndexViewProps, ViewProps } from './view.ts';

/** Users find further indexes by typing their names into the address. */
const INDEXES_LISTED_MAX = 1000;

type Component<Props> = (props: Props) => preact.JSX.Element | null;

const INDEX_VIEWS: Readonly<Partial<Record<View, Component<IndexViewProps>>>> = {
  search: SearchView,
  documents: DocumentsView,
  settings: SettingsView,
};

const OTHER_VIEWS: Readonly<Partial<Record<View, Component<ViewProps>>>> = {
  tasks: TasksView,
  indexes: IndexesView,
  rules: RulesView,
  analytics: AnalyticsView,
  keys: KeysView,
  backups: BackupsView,
  console: ConsoleView,
};

export function App() {
  const port = useAddress();
  const { address } = port;
  const indexes = useGet<IndexList>(`indexes?limit=${INDEXES_LISTED_MAX}`);
  const isSearchOnly = useSearchOnly(indexes);
  const listed = indexes.answer?.results ?? [];
  const uids = listed.map(({ uid }) => uid);
  const index = address.index ?? uids[0] ?? null;
  const failure = isSearchOnly ? null : indexes.failure;
  const view = isSearchOnly ? 'search' : address.view;
  const main = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    document.title = `${VIEWS[view]}${index !== null && view in INDEX_VIEWS ? ` ${index}` : ''} – Gannet`;
  }, [view, index]);
  return (
    <>
      <header class="head">
        <Button text="Skip to the content" class="skip" onClick={() => main.current?.focus()} />
        <a class="name" href="#/search">
          Gannet
        </a>
        <ViewLinks
          current={view}
          index={address.index}
          views={isSearchOnly ? ['search'] : (Object.keys(VIEWS) as View[])}
        />
        <div class="controls">
          {isSearchOnly ? (
            <IndexName index={index} port={port} />
          ) : (
            <IndexChoice uids={uids} index={index} port={port} />
          )}
          <KeyForm
            refusal={failure?.isAboutKey === true ? failure : null}
            onChange={indexes.refresh}
          />
        </div>
        <Waiting />
      </header>
      <main ref={main} tabIndex={-1}>
        <FailureNote failure={failure} />
        <FailureAbove.Provider value={failure}>
          <Body
            key={view}
            view={view}
            port={port}
            indexes={indexes}
            uids={uids}
            index={index}
            primaryKey={listed.find(({ uid }) => uid === index)?.primaryKey ?? null}
            isSearchOnly={isSearchOnly}
          />
        </FailureAbove.Provider>
      </main>
    </>
  );
}

function Body({ view, ...props }: ViewProps & { readonly view: View }) {
  const OtherView = OTHER_VIEWS[view];
  if (OtherView !== undefined) return <OtherView {...props} />;
  const IndexView = INDEX_VIEWS[view] ?? SearchView;
  const { index } = props;
  return index === null ? (
    <NoIndex {...props} />
  ) : (
    <IndexView key={index} {...props} index={index} />
  );
}

function NoIndex({ indexes, isSearchOnly }: ViewProps) {
  if (isSearchOnly)
    return (
      <section class="empty">
        <h1>Which index?</h1>
        <p>This API key may search, but not list indexes. Type the name of an index above.</p>
      </section>
    );
  if (indexes.answer === null)
    return indexes.failure === null ? <p aria-busy="true">Loading indexes …</p> : null;
  return (
    <section class="empty">
      <h1>There is no index yet</h1>
      <p>
        Drop a file with documents on <a href="#/indexes">Indexes</a>: JSON, NDJSON or CSV.
      </p>
    </section>
  );
}

/** True if the key was refused the list of indexes but may search. */
function useSearchOnly(indexes: Requested<IndexList>): boolean {
  // While a request waits, the failure may be of an earlier key.
  const isRefused = api.key !== '' && !indexes.isWaiting && indexes.failure?.isAboutKey === true;
  const search = useRequest<unknown>(
    isRefused
      ? (signal) => api.request('POST', 'multi-search', { body: { queries: [] }, signal })
      : null,
    [isRefused, api.key],
  );
  return isRefused && search.answer !== null && search.failure === null;
}

interface ViewLinksProps extends Pick<PageAddress, 'index'> {
  readonly current: View;
  readonly views: readonly View[];
}

function ViewLinks({ current, index, views }: ViewLinksProps) {
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const link = nav.current?.querySelector('[aria-current]');
    link?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return (
    <nav ref={nav} aria-label="Views">
      {views.map((view) => (
        <a
          key={view}
          href={fragmentOf({ view, index, state: {} })}
          aria-current={view === current ? 'page' : undefined}
        >
          {VIEWS[view]}
        </a>
      ))}
      <a href="docs">Docs</a>
    </nav>
  );
}

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
  /** Why the server refused the current key, null if it did not. */
  readonly refusal: ApiFailure | null;
  readonly onChange: () => void;
}

/** The API key of the requests; opens when a key is refused. */
function KeyForm({ refusal, onChange }: KeyFormProps) {
  const [text, setText] = useState(api.key);
  const [isOpen, setOpen] = useState(false);
  const summary = useRef<HTMLElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => setOpen(refusal !== null), [refusal]);
  useLayoutEffect(() => {
    const isFocusFree = [document.body, summary.current].includes(
      document.activeElement as HTMLElement,
    );
    if (isOpen && isFocusFree) input.current?.focus();
  }, [isOpen]);
  const submit = () => {
    api.key = text.trim();
    summary.current?.focus();
    setOpen(false);
    onChange();
  };
  return (
    <details
      class="key"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary ref={summary}>API key</summary>
      <form class="card stack" onSubmit={submitting(submit)}>
        <label class="text">
          <span>API key</span>
          <input
            ref={input}
            type="password"
            autocomplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Use key</button>
        <p class="about">Stored until this tab is closed.</p>
      </form>
    </details>
  );
}
