/** Lists, creates and deletes API keys, and signs tenant tokens with them. */

import type { ApiKey } from '../../model/api-key.ts';
import { api } from '../api-client.ts';
import { Button } from '../parts/button.tsx';
import { CopyText } from '../parts/copy-button.tsx';
import { useDeletion } from '../parts/deletion-dialog.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { humanTime } from '../parts/human.ts';
import { useAttempt } from '../parts/use-attempt.ts';
import { useGet } from '../parts/use-request.ts';
import type { ViewProps } from '../view.ts';
import { NewKeyForm } from './new-key-form.tsx';
import { TenantTokenForm } from './tenant-token-form.tsx';

type ShownKey = ApiKey & { readonly key: string };

const KEYS_SHOWN_MAX = 1000;

export function KeysView({ uids }: ViewProps) {
  const keys = useGet<{ readonly results: readonly ShownKey[] }>(`keys?limit=${KEYS_SHOWN_MAX}`);
  const { refused, attempt } = useAttempt(keys.refresh);
  const { ask, dialog } = useDeletion(questionOf, ({ uid }: ShownKey) =>
    attempt(() => api.request('DELETE', `keys/${uid}`)),
  );
  return (
    <section class="keys">
      <h1>API keys</h1>
      <FailureNote failure={refused ?? keys.failure} />
      {keys.failure === null && <NewKeyForm indexes={uids} onMade={keys.refresh} />}
      <ul class="plain stack columns">
        {keys.answer?.results.map((key) => (
          <KeyItem key={key.uid} about={key} indexes={uids} onDelete={() => ask(key)} />
        ))}
      </ul>
      {dialog}
    </section>
  );
}

const questionOf = ({ uid, name }: ShownKey) => ({
  title: `Delete API key ${name ?? uid}`,
  action: 'Delete API key',
  children: <p>Requests with this key will fail.</p>,
});

interface KeyItemProps {
  readonly about: ShownKey;
  readonly indexes: readonly string[];
  readonly onDelete: () => void;
}

const maySearch = ({ actions }: ShownKey): boolean =>
  ['search', '*', '*.get'].some((action) => actions.includes(action));

const KeyItem = ({ about, indexes, onDelete }: KeyItemProps) => (
  <li class="card">
    <h2>{about.name ?? about.uid}</h2>
    {about.description !== null && <p>{about.description}</p>}
    <dl>
      <dt>Actions</dt>
      <dd>{about.actions.join(', ')}</dd>
      <dt>Indexes</dt>
      <dd>{about.indexes.includes('*') ? 'all' : about.indexes.join(', ')}</dd>
      <dt>Expires</dt>
      <dd>{humanTime(about.expiresAt, new Date()) || 'never'}</dd>
    </dl>
    <details>
      <summary>
        Show key<span class="hidden"> of {about.name ?? about.uid}</span>
      </summary>
      <CopyText label={`API key ${about.name ?? about.uid}`} text={about.key} />
    </details>
    {maySearch(about) && (
      <TenantTokenForm
        name={about.name ?? about.uid}
        apiKey={about.key}
        apiKeyUid={about.uid}
        indexes={about.indexes.includes('*') ? indexes : about.indexes}
      />
    )}
    <Button
      text="Delete key"
      about={`: ${about.name ?? about.uid}`}
      class="ghost"
      onClick={onDelete}
    />
  </li>
);
