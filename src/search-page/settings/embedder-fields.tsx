/** The members of an embedder as form fields, derived from the table of members by source. */
import {
  EMBEDDER_DEFAULTS,
  EMBEDDER_FIELDS,
  type EmbedderField,
  type EmbedderPlace,
  type EmbedderSettings,
  type EmbedderSource,
  POOLINGS,
  sourcesIn,
} from '../../model/embedders/embedder-settings.ts';
import { CheckBox } from '../parts/check-box.tsx';
import { NumberField } from '../parts/number-field.tsx';
import { Select } from '../parts/select.tsx';
import { TextField } from '../parts/text-field.tsx';
import { JsonField } from './compound-controls.tsx';

export const SOURCE_LABELS: Readonly<Record<EmbedderSource, string>> = {
  openAi: 'OpenAI',
  huggingFace: 'Local model (Hugging Face)',
  ollama: 'Ollama',
  userProvided: 'Vectors come with the documents',
  rest: 'Any HTTP service (REST)',
  composite: 'Composite: one for documents, one for searches',
};

type Control = 'text' | 'template' | 'number' | 'json' | 'pooling' | 'embedder' | 'toggle';

const MEMBERS: Readonly<Record<EmbedderField, readonly [label: string, control: Control]>> = {
  model: ['Model', 'text'],
  revision: ['Revision of the model', 'text'],
  pooling: ['Pooling', 'pooling'],
  apiKey: ['API key of the provider', 'text'],
  dimensions: ['Dimensions of a vector', 'number'],
  documentTemplate: ['Document template (Liquid)', 'template'],
  documentTemplateMaxBytes: ['Longest rendered template, bytes', 'number'],
  url: ['URL', 'text'],
  request: ['Request by example, JSON with "{{text}}"', 'json'],
  response: ['Answer by example, JSON with "{{embedding}}"', 'json'],
  headers: ['Further headers, JSON', 'json'],
  indexingFragments: ['Indexing fragments, JSON', 'json'],
  searchFragments: ['Search fragments, JSON', 'json'],
  searchEmbedder: ['For searches', 'embedder'],
  indexingEmbedder: ['For documents', 'embedder'],
  distribution: ['Distribution of good scores, JSON: {"mean": 0.7, "sigma": 0.2}', 'json'],
  binaryQuantized: ['Store one bit per dimension (cannot be undone)', 'toggle'],
};

/** Members that a source has in a place, mandatory ones first. */
export function membersOf(source: EmbedderSource, place: EmbedderPlace): readonly EmbedderField[] {
  const names = (Object.keys(EMBEDDER_FIELDS) as EmbedderField[]).filter((name) => {
    const { sources, notIn = [] } = EMBEDDER_FIELDS[name];
    return sources.includes(source) && !notIn.includes(place);
  });
  const rank = (name: EmbedderField) => (isMandatory(name, source) ? 0 : 1);
  return names.sort((a, b) => rank(a) - rank(b));
}

const isMandatory = (name: EmbedderField, source: EmbedderSource): boolean =>
  EMBEDDER_FIELDS[name].mandatoryFor?.includes(source) === true;

/** A new embedder of a source, with the defaults of the server. */
export function emptyEmbedder(source: EmbedderSource, place: EmbedderPlace): EmbedderSettings {
  const allowed = membersOf(source, place);
  const defaults = Object.entries(EMBEDDER_DEFAULTS[source]).filter(([name]) =>
    allowed.includes(name as EmbedderField),
  );
  const nested =
    source === 'composite'
      ? {
          indexingEmbedder: emptyEmbedder('rest', 'indexingEmbedder'),
          searchEmbedder: emptyEmbedder('rest', 'searchEmbedder'),
        }
      : {};
  return { source, ...Object.fromEntries(defaults), ...nested };
}

interface EmbedderFieldsProps {
  readonly name: string;
  readonly place: EmbedderPlace;
  readonly value: EmbedderSettings;
  readonly onChange: (value: EmbedderSettings) => void;
}

export function EmbedderFields({ name, place, value, onChange }: EmbedderFieldsProps) {
  const { source } = value;
  return (
    <>
      <Select
        class="text"
        label="Source"
        name={`Source of ${name}`}
        value={source}
        options={sourcesIn(place).map((known) => [known, SOURCE_LABELS[known]])}
        onChange={(chosen) => onChange(emptyEmbedder(chosen, place))}
      />
      {membersOf(source, place).map((member) => (
        <Member
          key={`${source} ${member}`}
          embedder={name}
          member={member}
          source={source}
          value={value[member]}
          onChange={(given) => onChange(withMember(value, member, given))}
        />
      ))}
    </>
  );
}

/** @param given undefined or '' removes the member */
function withMember(
  embedder: EmbedderSettings,
  member: EmbedderField,
  given: unknown,
): EmbedderSettings {
  const { [member]: _, ...others } = embedder;
  return given === undefined || given === '' || given === null
    ? others
    : { ...others, [member]: given };
}

interface MemberProps {
  readonly embedder: string;
  readonly member: EmbedderField;
  readonly source: EmbedderSource;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const LINES_OF_TEMPLATE = 3;

function Member({ embedder, member, source, value, onChange }: MemberProps) {
  const [name, control] = MEMBERS[member];
  const label = isMandatory(member, source) ? `${name} (required)` : name;
  switch (control) {
    case 'toggle':
      return (
        <CheckBox isOn={value === true} onChange={onChange}>
          {label}
        </CheckBox>
      );
    case 'number':
      return (
        <NumberField
          label={label}
          value={(value as number | undefined) ?? null}
          min={1}
          empty="chosen by the model"
          onChange={onChange}
        />
      );
    case 'json':
      return <JsonField label={label} value={value} onChange={onChange} />;
    case 'pooling':
      return (
        <Select
          class="text"
          label={label}
          value={String(value)}
          options={POOLINGS}
          onChange={onChange}
        />
      );
    case 'embedder':
      return (
        <fieldset class="rule">
          <legend>{label}</legend>
          <EmbedderFields
            name={`${embedder}, ${label.toLowerCase()}`}
            place={member as EmbedderPlace}
            value={(value as EmbedderSettings | undefined) ?? { source: 'rest' }}
            onChange={onChange}
          />
        </fieldset>
      );
    case 'template':
    case 'text':
      return (
        <TextField
          label={label}
          rows={control === 'template' ? LINES_OF_TEMPLATE : undefined}
          value={String(value ?? '')}
          onChange={onChange}
        />
      );
  }
}
