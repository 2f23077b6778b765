/** The API key of the requests: a small form in the header, open when a key is needed. */
import { useState } from 'preact/hooks';
import type { ApiClient } from '../api-client.ts';

interface KeyFormProps {
  readonly api: ApiClient;
  /** True if the server refused the current key. */
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
      <summary>API key</summary>
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
        <button type="submit">Use key</button>
        <p>Stored until this tab is closed.</p>
      </form>
    </details>
  );
}
