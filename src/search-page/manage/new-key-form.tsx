/** Creates an API key from plain choices, and shows its value. */
import { useState } from 'preact/hooks';
import { isIndexUidPattern } from '../../model/index-uid-pattern.ts';
import { api } from '../api-client.ts';
import { submitting } from '../parts/button.tsx';
import { CheckBox } from '../parts/check-box.tsx';
import { CopyText } from '../parts/copy-button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { NameList } from '../parts/name-list.tsx';
import { NumberField } from '../parts/number-field.tsx';
import { Select } from '../parts/select.tsx';
import { TextField } from '../parts/text-field.tsx';
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

export function NewKeyForm({ indexes, onMade }: NewKeyFormProps) {
  const [choices, setChoices] = useState(FIRST);
  const [made, setMade] = useState('');
  const { refused, attempt } = useAttempt();
  const change = (part: Partial<KeyChoices>) => setChoices({ ...choices, ...part });
  const submit = () =>
    attempt(async () => {
      const body = keyBodyOf(choices, Date.now());
      setMade((await api.request<{ key: string }>('POST', 'keys', { body })).key);
      setChoices(FIRST);
      onMade();
    });
  return (
    <form class="new-key card stack" onSubmit={submitting(submit)}>
      <h2>New API key</h2>
      <div class="options">
        <TextField label="Name" value={choices.name} onChange={(name) => change({ name })} />
        <Select
          class="text"
          label="May"
          value={choices.purpose}
          options={Object.entries(PURPOSES).map(([name, { label }]) => [name as Purpose, label])}
          onChange={(purpose) => change({ purpose })}
        />
        <Select
          class="text"
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
      <div key={group} class="options">
        {actions.map((action) => (
          <CheckBox
            key={action}
            isOn={chosen.includes(action)}
            onChange={(isOn) =>
              onChange(isOn ? [...chosen, action] : chosen.filter((other) => other !== action))
            }
          >
            {action}
          </CheckBox>
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

const IndexChoices = ({ known, chosen, onChange }: IndexChoicesProps) => (
  <fieldset>
    <legend>{chosen.length === 0 ? 'All indexes' : 'Only these indexes'}</legend>
    <NameList
      label="Indexes of the key"
      addLabel="Only this index, or names that start with: shop*"
      items={chosen}
      suggestions={known}
      noteOf={(uid) => (known.includes(uid) || uid.endsWith('*') ? null : 'not an index yet')}
      read={(text) => {
        const names = text.split(/[\s,]+/).filter((name) => name !== '');
        const wrong = names.find((name) => !isIndexUidPattern(name));
        return wrong === undefined ? { names } : { refusal: `${wrong} is not an index name.` };
      }}
      onChange={onChange}
    />
  </fieldset>
);
