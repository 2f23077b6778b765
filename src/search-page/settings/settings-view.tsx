/** Settings of the chosen index, each saved by itself; the API validates them. */
import { useState } from 'preact/hooks';
import { type ApiClient, ApiFailure } from '../api-client.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { followTask } from '../parts/follow-task.ts';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { useRequest } from '../parts/use-request.ts';
import type { ViewProps } from '../view.ts';
import { fieldText, fieldValue, SETTING_FIELDS, type SettingField } from './setting-fields.ts';

type SettingValues = Readonly<Record<string, unknown>>;

export function SettingsView({ api, index }: ViewProps) {
  const settings = useRequest<SettingValues>(
    index === null
      ? null
      : (signal) => api.request('GET', `indexes/${encodeURIComponent(index)}/settings`, { signal }),
    [index],
  );
  if (index === null) return <p>There is no index yet.</p>;
  return (
    <section class="settings">
      <h1>Settings of {index}</h1>
      <FailureNote failure={settings.failure} />
      {settings.answer !== null &&
        SETTING_FIELDS.map((field) => (
          <SettingForm
            key={`${index} ${field.name} ${JSON.stringify(settings.answer?.[field.name])}`}
            api={api}
            index={index}
            field={field}
            value={settings.answer?.[field.name]}
            onSaved={settings.refresh}
          />
        ))}
    </section>
  );
}

interface SettingFormProps {
  readonly api: ApiClient;
  readonly index: string;
  readonly field: SettingField;
  readonly value: unknown;
  readonly onSaved: () => void;
}

function SettingForm({ api, index, field, value, onSaved }: SettingFormProps) {
  const [text, setText] = useState(fieldText(field.field, value));
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [isSaving, setSaving] = useState(false);
  const save = async (parse: () => unknown) => {
    setSaving(true);
    setFailure(null);
    try {
      const path = `indexes/${encodeURIComponent(index)}/settings`;
      const { taskUid } = await api.request<{ taskUid: number }>('PATCH', path, {
        body: { [field.name]: parse() },
      });
      await followTask(api, taskUid, () => undefined);
      onSaved();
    } catch (error) {
      setFailure(shownFailure(error));
    }
    setSaving(false);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void save(() => fieldValue(field.field, text));
  };
  return (
    <form class="setting" onSubmit={submit}>
      <label for={field.name}>
        <strong>{field.name}</strong> <span class="about">{field.about}</span>
      </label>
      <SettingInput field={field} text={text} onChange={setText} />
      <div class="buttons">
        <button type="submit" disabled={text === fieldText(field.field, value) || isSaving}>
          Save<span class="hidden"> {field.name}</span>
        </button>
        <button type="button" disabled={isSaving} onClick={() => void save(() => null)}>
          Default<span class="hidden"> of {field.name}</span>
        </button>
      </div>
      {isSaving && <ProgressBar label="Saving" part={null} />}
      <FailureNote failure={failure} />
    </form>
  );
}

function shownFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (error instanceof SyntaxError) return new ApiFailure(0, '', `Invalid JSON: ${error.message}`);
  throw error;
}

interface SettingInputProps {
  readonly field: SettingField;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

const ROWS_MAX = 12;

function SettingInput({ field: { name, field }, text, onChange }: SettingInputProps) {
  if (field.kind === 'choice' || field.kind === 'flag') {
    const options = field.kind === 'choice' ? field.options : ['true', 'false'];
    const shown = options.includes(text) ? options : [text, ...options];
    return (
      <select id={name} value={text} onChange={(event) => onChange(event.currentTarget.value)}>
        {shown.map((option) => (
          <option key={option} value={option}>
            {option || 'default'}
          </option>
        ))}
      </select>
    );
  }
  return (
    <textarea
      id={name}
      spellcheck={false}
      rows={Math.min(ROWS_MAX, text.split('\n').length + 1)}
      value={text}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
