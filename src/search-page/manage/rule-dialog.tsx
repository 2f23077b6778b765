/** Creates or changes a search rule. */
import { useState } from 'preact/hooks';
import type { ApiClient } from '../api-client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { followTask } from '../parts/follow-task.ts';
import { NumberField } from '../parts/number-field.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { Toggle } from '../parts/toggle.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { bodyOfRule, filterValuesOf, type RuleDraft, type RuledDocument } from './rule-draft.ts';

interface RuleDialogProps {
  readonly api: ApiClient;
  readonly indexes: readonly string[];
  /** With an empty uid for a new rule. */
  readonly rule: RuleDraft;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

export function RuleDialog({ api, indexes, rule, onSaved, onClose }: RuleDialogProps) {
  const [draft, setDraft] = useState(rule);
  const [isSaving, setSaving] = useState(false);
  const { refused, attempt } = useAttempt();
  const change = (part: Partial<RuleDraft>) => setDraft({ ...draft, ...part });
  const save = async () => {
    setSaving(true);
    const isSaved = await attempt(async () => {
      const path = `dynamic-search-rules/${encodeURIComponent(draft.uid)}`;
      const { taskUid } = await api.request<{ taskUid: number }>('PATCH', path, {
        body: bodyOfRule(draft),
      });
      await followTask(api, taskUid, () => undefined);
    });
    setSaving(false);
    if (isSaved) onSaved();
  };
  return (
    <Dialog title={rule.uid === '' ? 'New rule' : `Rule ${rule.uid}`} onClose={onClose}>
      <form
        class="rule-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {rule.uid === '' && (
          <TextField label="Name" value={draft.uid} isName onChange={(uid) => change({ uid })} />
        )}
        <TextField
          label="Description"
          value={draft.description}
          onChange={(description) => change({ description })}
        />
        <Toggle
          label="Active"
          isOn={draft.isActive}
          onChange={(isActive) => change({ isActive })}
        />
        <NumberField
          label="Precedence: the lower number wins"
          value={draft.precedence}
          min={0}
          empty="last"
          onChange={(precedence) => change({ precedence })}
        />
        <Conditions draft={draft} onChange={change} />
        <Documents
          indexes={indexes}
          documents={draft.documents}
          onChange={(documents) => change({ documents })}
        />
        <FailureNote failure={refused} />
        {isSaving && <ProgressBar label="Saving" part={null} />}
        <div class="buttons">
          <button type="submit" disabled={isSaving}>
            Save
          </button>
          <button type="button" class="quiet" onClick={onClose}>
            Back
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isName?: boolean;
  readonly placeholder?: string;
}

const TextField = ({ label, value, onChange, isName = false, placeholder }: TextFieldProps) => (
  <label class="text">
    <span>{label}</span>
    <input
      required={isName}
      pattern={isName ? '[\\w\\-]+' : undefined}
      placeholder={placeholder}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  </label>
);

interface ConditionsProps {
  readonly draft: RuleDraft;
  readonly onChange: (part: Partial<RuleDraft>) => void;
}

const QUERIES: Readonly<Record<RuleDraft['queryIs'], string>> = {
  any: 'any',
  empty: 'empty',
  notEmpty: 'not empty',
  words: 'with the words',
};

const Conditions = ({ draft, onChange }: ConditionsProps) => (
  <fieldset>
    <legend>When</legend>
    <label class="text">
      <span>The query is</span>
      <select
        value={draft.queryIs}
        onChange={({ currentTarget }) =>
          onChange({ queryIs: currentTarget.value as RuleDraft['queryIs'] })
        }
      >
        {Object.entries(QUERIES).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </label>
    {draft.queryIs === 'words' && (
      <TextField label="Words" value={draft.words} onChange={(words) => onChange({ words })} />
    )}
    <TextField
      label="From"
      placeholder="2030-01-31T00:00:00Z"
      value={draft.start}
      onChange={(start) => onChange({ start })}
    />
    <TextField
      label="Until"
      placeholder="2030-02-28T00:00:00Z"
      value={draft.end}
      onChange={(end) => onChange({ end })}
    />
    <FilterRows filters={draft.filters} onChange={(filters) => onChange({ filters })} />
  </fieldset>
);

interface FilterRowsProps {
  readonly filters: RuleDraft['filters'];
  readonly onChange: (filters: RuleDraft['filters']) => void;
}

const FilterRows = ({ filters, onChange }: FilterRowsProps) => (
  <>
    {filters.map(({ field, values }, at) => (
      <div class="row" key={`${at} of ${filters.length}`}>
        <TextField
          label="The filter asks for the field"
          value={field}
          onChange={(next) => onChange(filters.with(at, { field: next, values }))}
        />
        <label class="text">
          <span>with one of the values</span>
          <input
            value={values.join(', ')}
            onChange={({ currentTarget }) =>
              onChange(filters.with(at, { field, values: filterValuesOf(currentTarget.value) }))
            }
          />
        </label>
        <button
          type="button"
          class="quiet"
          aria-label={`Remove the filter ${field}`}
          onClick={() => onChange(filters.filter((_, place) => place !== at))}
        >
          ✕
        </button>
      </div>
    ))}
    <button
      type="button"
      class="quiet"
      onClick={() => onChange([...filters, { field: '', values: [] }])}
    >
      Add a filter
    </button>
  </>
);

interface DocumentsProps {
  readonly indexes: readonly string[];
  readonly documents: readonly RuledDocument[];
  readonly onChange: (documents: readonly RuledDocument[]) => void;
}

const Documents = ({ indexes, documents, onChange }: DocumentsProps) => {
  const add = (place: number | null) =>
    onChange([...documents, { indexUid: indexes[0] ?? '', id: '', place }]);
  return (
    <fieldset>
      <legend>Documents</legend>
      {documents.map((document, at) => (
        <DocumentRow
          key={`${at} of ${documents.length}`}
          indexes={indexes}
          document={document}
          onChange={(next) => onChange(documents.with(at, next))}
          onRemove={() => onChange(documents.filter((_, place) => place !== at))}
        />
      ))}
      <button type="button" class="quiet" onClick={() => add(documents.length + 1)}>
        Pin a document
      </button>
      <button type="button" class="quiet" onClick={() => add(null)}>
        Hide a document
      </button>
    </fieldset>
  );
};

interface DocumentRowProps {
  readonly indexes: readonly string[];
  readonly document: RuledDocument;
  readonly onChange: (document: RuledDocument) => void;
  readonly onRemove: () => void;
}

const DocumentRow = ({ indexes, document, onChange, onRemove }: DocumentRowProps) => {
  const { indexUid, id, place } = document;
  const known = [...new Set([...indexes, ...(indexUid === '' ? [] : [indexUid])])];
  return (
    <div class="row">
      <label class="text">
        <span>Index</span>
        <select
          value={indexUid}
          onChange={({ currentTarget }) => onChange({ ...document, indexUid: currentTarget.value })}
        >
          <option value="">any index</option>
          {known.map((uid) => (
            <option key={uid}>{uid}</option>
          ))}
        </select>
      </label>
      <TextField
        label="Document id"
        value={id}
        isName
        onChange={(next) => onChange({ ...document, id: next })}
      />
      {place === null ? (
        <span class="hidden-document">is hidden</span>
      ) : (
        <NumberField
          label="Place"
          value={place}
          min={1}
          onChange={(next) => next !== null && onChange({ ...document, place: next })}
        />
      )}
      <button
        type="button"
        class="quiet"
        aria-label={`Remove the document ${id}`}
        onClick={onRemove}
      >
        ✕
      </button>
    </div>
  );
};
