/** Creates an API key from plain choices, and shows its value. */
import { useState } from 'preact/hooks';
import type { ApiClient } from '../api-client.ts';
import { AddNames } from '../parts/add-names.tsx';
import { Chips } from '../parts/chips.tsx';
import { CopyText } from '../parts/copy-text.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { NumberField } from '../parts/number-field.tsx';
import { Select } from '../parts/select.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import {
  actionGroups,
  type KeyChoices,
  type KeyLifetime,
  keyBodyOf,
  LIFETIMES,
  PURPOSES,
  type Purpose,
} from './key-choices.ts';

interface NewKeyFormProps {
  readonly api: ApiClient;
  readonly indexes: readonly string[];
  readonly onMade: () => void;
}

const FIRST: KeyChoices = {
  name: '',
  purpose: 'search',
  actions: [],
  indexes: [],
  lifetime: 'never',
  requestsPerSecond: null,
};

export function NewKeyForm({ api, indexes, onMade }: NewKeyFormProps) {
  const [choices, setChoices] = useState(FIRST);
  const [made, setMade] = useState('');
  const { refused, attempt } = useAttempt();
  const change = (part: Partial<KeyChoices>) => setChoices({ ...choices, ...part });
  const submit = async () => {
    const body = keyBodyOf(choices, Date.now());
    const isMade = await attempt(async () => {
      setMade((await api.request<{ key: string }>('POST', 'keys', { body })).key);
    });
    if (!isMade) return;
    setChoices(FIRST);
    onMade();
  };
  return (
    <form
      class="new-key"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2>New API key</h2>
      <div class="options">
        <label>
          Name{' '}
          <input
            value={choices.name}
            onInput={({ currentTarget }) => change({ name: currentTarget.value })}
          />
        </label>
        <Select
          label="May"
          value={choices.purpose}
          options={Object.entries(PURPOSES).map(([name, { label }]) => [name as Purpose, label])}
          onChange={(purpose) => change({ purpose })}
        />
        <Select
          label="Expires"
          value={String(choices.lifetime)}
          options={Object.entries(LIFETIMES)}
          onChange={(lifetime) => change({ lifetime: lifetime as KeyLifetime })}
        />
        <NumberField
          label="Requests per second"
          value={choices.requestsPerSecond}
          min={1}
          empty="unlimited"
          onChange={(requestsPerSecond) => change({ requestsPerSecond })}
        />
      </div>
      {choices.purpose === 'custom' && (
        <ActionBoxes chosen={choices.actions} onChange={(actions) => change({ actions })} />
      )}
      <IndexChoices
        known={indexes}
        chosen={choices.indexes}
        onChange={(chosen) => change({ indexes: chosen })}
      />
      <div class="buttons">
        <button type="submit">Create key</button>
      </div>
      <FailureNote failure={refused} />
      {made !== '' && (
        <div role="status">
          <p>✓ The API key is created.</p>
          <CopyText label="New API key" text={made} />
        </div>
      )}
    </form>
  );
}

interface ActionBoxesProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

const ActionBoxes = ({ chosen, onChange }: ActionBoxesProps) => (
  <fieldset class="actions">
    <legend>Actions</legend>
    {[...actionGroups()].map(([group, actions]) => (
      <div key={group}>
        {actions.map((action) => (
          <label key={action}>
            <input
              type="checkbox"
              checked={chosen.includes(action)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...chosen, action] : chosen.filter((other) => other !== action))
              }
            />{' '}
            {action}
          </label>
        ))}
      </div>
    ))}
  </fieldset>
);

interface IndexChoicesProps {
  readonly known: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

const INDEX_PATTERN = /^[\w-]+\*?$/;

const IndexChoices = ({ known, chosen, onChange }: IndexChoicesProps) => (
  <fieldset>
    <legend>{chosen.length === 0 ? 'All indexes' : 'Only these indexes'}</legend>
    <Chips
      label="Indexes of the key"
      items={chosen}
      onRemove={(uid) => onChange(chosen.filter((other) => other !== uid))}
      noteOf={(uid) => (known.includes(uid) || uid.endsWith('*') ? null : 'not an index yet')}
    />
    <AddNames
      label="Only this index, or names that start with: shop*"
      suggestions={known.filter((uid) => !chosen.includes(uid))}
      read={(text) => {
        const names = text.split(/[\s,]+/).filter((name) => name !== '');
        const wrong = names.find((name) => !INDEX_PATTERN.test(name));
        return wrong === undefined ? { names } : { refusal: `${wrong} is not an index name.` };
      }}
      onAdd={(names) => onChange([...new Set([...chosen, ...names])])}
    />
  </fieldset>
);
