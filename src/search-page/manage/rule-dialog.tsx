/** Creates or changes a search rule. */
import { useState } from 'preact/hooks';
import { api } from '../api-client.ts';
import { Button, RemoveButton, submitting } from '../parts/button.tsx';
import { CheckBox } from '../parts/check-box.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { NumberField } from '../parts/number-field.tsx';
import { Select } from '../parts/select.tsx';
import { TextField } from '../parts/text-field.tsx';
import { useWrite, WriteNote } from '../parts/use-write.tsx';
import { bodyOfRule, filterValuesOf, type RuleDraft, type RuledDocument } from './rule-draft.ts';

interface RuleDialogProps {
  readonly indexes: readonly string[];
  /** With an empty uid for a new rule. */
  readonly rule: RuleDraft;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

export function RuleDialog({ indexes, rule, onSaved, onClose }: RuleDialogProps) {
  const [draft, setDraft] = useState(rule);
  const { write, unfinished } = useWrite(onSaved);
  const change = (part: Partial<RuleDraft>) => setDraft({ ...draft, ...part });
  const save = () =>
    void write('Save rule', () =>
      api.request('PATCH', `dynamic-search-rules/${encodeURIComponent(draft.uid)}`, {
        body: bodyOfRule(draft),
      }),
    );
  return (
    <Dialog title={rule.uid === '' ? 'New rule' : `Rule ${rule.uid}`} onClose={onClose}>
      <form class="rule-form stack" onSubmit={submitting(save)}>
        {rule.uid === '' && (
          <TextField label="Name" value={draft.uid} isName onChange={(uid) => change({ uid })} />
        )}
        <TextField
          label="Description"
          value={draft.description}
          onChange={(description) => change({ description })}
        />
        <CheckBox isOn={draft.isActive} onChange={(isActive) => change({ isActive })}>
          Active
        </CheckBox>
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
        <WriteNote state={unfinished} />
        <div class="buttons">
          <button type="submit">Save</button>
          <Button text="Back" class="quiet" onClick={onClose} />
        </div>
      </form>
    </Dialog>
  );
}

interface ConditionsProps {
  readonly draft: RuleDraft;
  readonly onChange: (part: Partial<RuleDraft>) => void;
}

const QUERIES: readonly (readonly [RuleDraft['queryIs'], string])[] = [
  ['any', 'any'],
  ['empty', 'empty'],
  ['notEmpty', 'not empty'],
  ['words', 'with the words'],
];

const Conditions = ({ draft, onChange }: ConditionsProps) => (
  <fieldset class="stack">
    <legend>When</legend>
    <Select
      class="text"
      label="The query is"
      value={draft.queryIs}
      options={QUERIES}
      onChange={(queryIs) => onChange({ queryIs })}
    />
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
        <RemoveButton
          label={`Remove the filter ${field}`}
          onClick={() => onChange(filters.filter((_, place) => place !== at))}
        />
      </div>
    ))}
    <Button
      text="Add a filter"
      class="quiet"
      onClick={() => onChange([...filters, { field: '', values: [] }])}
    />
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
    <fieldset class="stack">
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
      <Button text="Pin a document" class="quiet" onClick={() => add(documents.length + 1)} />
      <Button text="Hide a document" class="quiet" onClick={() => add(null)} />
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
      <Select
        class="text"
        label="Index"
        value={indexUid}
        options={[['', 'any index'], ...known]}
        onChange={(next) => onChange({ ...document, indexUid: next })}
      />
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
          onChange={(next) => onChange({ ...document, place: next })}
        />
      )}
      <RemoveButton label={`Remove the document ${id}`} onClick={onRemove} />
    </div>
  );
};
