/** The API key that requests present: a small form in the head, open when it is needed. */
import { useState } from 'preact/hooks';
import type { ApiClient } from '../api-client.ts';

interface KeyFormProps {
  readonly api: ApiClient;
  /** The server refused what was given. */
  readonly isNeeded: boolean;
  readonly onChange: () => void;
}

export function KeyForm({ api, isNeeded, onChange }: KeyFormProps) {
  const [text, setText] = useState(api.key);
  const submit = (event: Event) => {
    event.preventDefault();
    api.key = text.trim();
    onChange();
  };
  return (
    <details class="key" open={isNeeded}>
      <summary>{api.key === '' ? 'No key' : 'Key given'}</summary>
      <form onSubmit={submit}>
        <label>
          API key{' '}
          <input
            type="password"
            autocomplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Use it</button>
        <p>Kept until this tab is closed.</p>
      </form>
    </details>
  );
}
