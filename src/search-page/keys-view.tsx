/** Lists, creates and deletes API keys. */
import { useState } from 'preact/hooks';
import type { ApiClient } from './api-client.ts';
import { FailureNote } from './parts/failure-note.tsx';
import { humanTime } from './parts/human.ts';
import { useAttempt } from './parts/use-attempt.ts';
import { useRequest } from './parts/use-request.ts';
import type { ViewProps } from './view.ts';

interface ApiKey {
  readonly uid: string;
  readonly key: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly actions: readonly string[];
  readonly indexes: readonly string[];
  readonly expiresAt: string | null;
}

const KEYS_SHOWN_MAX = 1000;

export function KeysView({ api }: ViewProps) {
  const keys = useRequest<{ readonly results: readonly ApiKey[] }>(
    (signal) => api.request('GET', `keys?limit=${KEYS_SHOWN_MAX}`, { signal }),
    [],
  );
  const { refused, attempt } = useAttempt();
  const remove = async ({ uid, name }: ApiKey) => {
    if (!confirm(`Delete the API key ${name ?? uid}? Requests with this key will fail.`)) return;
    await attempt(() => api.request('DELETE', `keys/${uid}`));
    keys.refresh();
  };
  return (
    <section class="keys">
      <h1>API keys</h1>
      <FailureNote failure={refused ?? keys.failure} />
      {keys.failure === null && <NewKeyForm api={api} onMade={keys.refresh} />}
      <ul>
        {keys.answer?.results.map((key) => (
          <KeyItem key={key.uid} about={key} onDelete={() => void remove(key)} />
        ))}
      </ul>
    </section>
  );
}

interface KeyItemProps {
  readonly about: ApiKey;
  readonly onDelete: () => void;
}

const KeyItem = ({ about, onDelete }: KeyItemProps) => (
  <li>
    <h2>{about.name ?? about.uid}</h2>
    <p>{about.description}</p>
    <dl>
      <dt>Actions</dt>
      <dd>{about.actions.join(', ')}</dd>
      <dt>Indexes</dt>
      <dd>{about.indexes.join(', ')}</dd>
      <dt>Expires</dt>
      <dd>{humanTime(about.expiresAt, new Date()) || 'never'}</dd>
      <dt>Key</dt>
      <dd>
        <details>
          <summary>Show</summary>
          <code>{about.key}</code>
        </details>
      </dd>
    </dl>
    <button type="button" onClick={onDelete}>
      Delete key<span class="hidden">: {about.name ?? about.uid}</span>
    </button>
  </li>
);

interface NewKeyFormProps {
  readonly api: ApiClient;
  readonly onMade: () => void;
}

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((item) => item !== '');

function NewKeyForm({ api, onMade }: NewKeyFormProps) {
  const [texts, setTexts] = useState({ name: '', actions: 'search', indexes: '*', expiresAt: '' });
  const { refused, attempt } = useAttempt();
  const field = (name: keyof typeof texts, label: string, type = 'text') => (
    <label>
      {label}{' '}
      <input
        type={type}
        value={texts[name]}
        onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
      />
    </label>
  );
  const submit = async (event: Event) => {
    event.preventDefault();
    const { name, actions, indexes, expiresAt } = texts;
    const body = {
      name: name === '' ? null : name,
      actions: listOf(actions),
      indexes: listOf(indexes),
      expiresAt: expiresAt === '' ? null : expiresAt,
    };
    if (await attempt(() => api.request('POST', 'keys', { body }))) onMade();
  };
  return (
    <form class="new-key options" onSubmit={(event) => void submit(event)}>
      {field('name', 'Name')}
      {field('actions', 'Actions')}
      {field('indexes', 'Indexes')}
      {field('expiresAt', 'Expires', 'date')}
      <button type="submit">Create key</button>
      <FailureNote failure={refused} />
    </form>
  );
}
