/** Controls for single values and for settings that are objects. */
import { useContext, useState } from 'preact/hooks';
import { isObject } from '../../core/json.ts';
import { INFLECTED_LANGUAGES, supportedLocales } from '../../model/locales.ts';
import { BUILT_IN_RANKING_RULES, type Settings } from '../../model/settings.ts';
import { Button } from '../parts/button.tsx';
import { CheckBox } from '../parts/check-box.tsx';
import { NameList } from '../parts/name-list.tsx';
import type { NamesRead } from '../parts/names-read.ts';
import { NumberField } from '../parts/number-field.tsx';
import { OrderedList } from '../parts/ordered-list.tsx';
import { Rows } from '../parts/rows.tsx';
import { Select } from '../parts/select.tsx';
import { type ControlProps, Surroundings } from './control.ts';
import { AddField, FieldList } from './field-controls.tsx';
import { fieldNamesOf, isKnownField, without } from './field-names.ts';
import { languageList, WordList } from './word-controls.tsx';

export const flag =
  (label: string) =>
  ({ value, onChange }: ControlProps<boolean>) => (
    <CheckBox isOn={value} onChange={onChange}>
      {label}
    </CheckBox>
  );

/** @param labels by value */
export const choice =
  <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  ({ title, value, onChange }: ControlProps<Value>) => (
    <Select
      name={title}
      value={value}
      options={Object.entries(labels) as [Value, string][]}
      onChange={onChange}
    />
  );

export const CutoffField = ({ value, onChange }: ControlProps<number | null>) => (
  <NumberField label="Milliseconds" value={value} min={0} empty="1500" onChange={onChange} />
);

export const PaginationField = ({ value, onChange }: ControlProps<Settings['pagination']>) => (
  <NumberField
    label="Hits that users can page through"
    value={value.maxTotalHits}
    min={1}
    onChange={(maxTotalHits) => onChange({ maxTotalHits })}
  />
);

const WORD_LETTERS_MAX = 255;

export function TypoFields({ value, onChange }: ControlProps<Settings['typoTolerance']>) {
  const change = (part: Partial<Settings['typoTolerance']>) => onChange({ ...value, ...part });
  const { minWordSizeForTypos: sizes } = value;
  const size = (label: string, name: keyof typeof sizes) => (
    <NumberField
      label={label}
      value={sizes[name]}
      min={0}
      max={WORD_LETTERS_MAX}
      onChange={(letters) => change({ minWordSizeForTypos: { ...sizes, [name]: letters } })}
    />
  );
  return (
    <>
      <CheckBox isOn={value.enabled} onChange={(enabled) => change({ enabled })}>
        Find words with typos
      </CheckBox>
      {value.enabled && (
        <>
          <div class="options">
            {size('Letters for one typo', 'oneTypo')}
            {size('Letters for two typos', 'twoTypos')}
          </div>
          <CheckBox
            isOn={value.disableOnNumbers}
            onChange={(disableOnNumbers) => change({ disableOnNumbers })}
          >
            Numbers must match exactly
          </CheckBox>
          <h4>Fields without typos</h4>
          <FieldList
            title="Fields without typos"
            value={value.disableOnAttributes}
            onChange={(disableOnAttributes) => change({ disableOnAttributes })}
          />
          <h4>Words without typos</h4>
          <WordList
            title="Words without typos"
            value={value.disableOnWords}
            onChange={(disableOnWords) => change({ disableOnWords })}
          />
        </>
      )}
    </>
  );
}

const ORDER_LABELS = { alpha: 'by name', count: 'by number of documents' } as const;
const OrderChoice = choice(ORDER_LABELS);

export function FacetingFields({ value, onChange }: ControlProps<Settings['faceting']>) {
  const { maxValuesPerFacet, sortFacetValuesBy: orders } = value;
  const nameOf = ([field]: readonly [field: string, ...unknown[]]) =>
    field === '*' ? 'all other fields' : field;
  const order = (next: Settings['faceting']['sortFacetValuesBy']) =>
    onChange({ maxValuesPerFacet, sortFacetValuesBy: next });
  return (
    <>
      <NumberField
        label="Values shown of each facet"
        value={maxValuesPerFacet}
        min={0}
        onChange={(count) => onChange({ ...value, maxValuesPerFacet: count })}
      />
      <Rows
        label="Order of facet values"
        items={Object.entries(orders)}
        nameOf={nameOf}
        control={([field, current]) => (
          <OrderChoice
            title={`Order of the values of ${nameOf([field])}`}
            value={current}
            onChange={(next) => order({ ...orders, [field]: next })}
          />
        )}
        isFixed={([field]) => field === '*'}
        onRemove={([field]) => order(without(orders, field))}
      />
      <AddField
        title="Order of facet values"
        taken={Object.keys(orders)}
        onAdd={(names) =>
          order({
            ...Object.fromEntries(names.map((name) => [name, 'count' as const])),
            ...orders,
          })
        }
      />
    </>
  );
}

const DIRECTED = /^(.+):(asc|desc)$/;

/** Reads names of built-in rules, and `field:asc` or `field:desc`. */
export function rankingRulesOf(text: string, fields: readonly string[]): NamesRead {
  const read = fieldNamesOf(text, []);
  if ('refusal' in read) return { refusal: read.refusal.replace('field name', 'ranking rule') };
  const wrong = read.names.find((name) => rankingRuleNote(name, fields) === NO_RULE);
  if (wrong === undefined) return read;
  return { refusal: `${wrong} is not a ranking rule; a field needs :asc or :desc.` };
}

const NO_RULE = 'not a ranking rule';

function rankingRuleNote(rule: string, fields: readonly string[]): string | null {
  if ((BUILT_IN_RANKING_RULES as readonly string[]).includes(rule)) return null;
  const field = DIRECTED.exec(rule)?.[1];
  if (field === undefined) return NO_RULE;
  return isKnownField(field, fields) ? null : 'not a field yet';
}

export function RankingRules({ title, value, onChange }: ControlProps<readonly string[]>) {
  const { fields } = useContext(Surroundings);
  const known = [
    ...BUILT_IN_RANKING_RULES,
    ...fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]),
  ];
  return (
    <NameList
      list={OrderedList}
      label={title}
      addLabel="Add a ranking rule, such as year:desc"
      items={value}
      suggestions={known}
      read={(text) => rankingRulesOf(text, fields)}
      noteOf={(rule) => rankingRuleNote(rule, fields)}
      onChange={onChange}
    />
  );
}

export const InflectedLanguages = languageList(INFLECTED_LANGUAGES);
const Locales = languageList(supportedLocales().filter((code) => code.length > 2));

/** Languages of fields; the fields of a rule are chosen first. */
export function LocalizedFields({
  value,
  onChange,
}: ControlProps<Settings['localizedAttributes']>) {
  const rules = value ?? [];
  const change = (next: typeof rules) => onChange(next.length === 0 ? null : next);
  return (
    <>
      {rules.map((rule, at) => (
        <fieldset key={at} class="rule">
          <legend>Rule {at + 1}</legend>
          <h4>Fields</h4>
          <FieldList
            title={`Fields of rule ${at + 1}`}
            value={rule.attributePatterns}
            onChange={(attributePatterns) => change(rules.with(at, { ...rule, attributePatterns }))}
          />
          <h4>Languages</h4>
          <Locales
            title={`Languages of rule ${at + 1}`}
            value={rule.locales}
            onChange={(locales) => change(rules.with(at, { ...rule, locales }))}
          />
          <Button
            text={`Remove rule ${at + 1}`}
            class="ghost"
            onClick={() => change(rules.filter((_, place) => place !== at))}
          />
        </fieldset>
      ))}
      <Button
        text="Add a rule"
        class="quiet"
        onClick={() => change([...rules, { attributePatterns: [], locales: [] }])}
      />
    </>
  );
}

/** Rerankers of an index, as JSON by name. */
export const Rerankers = ({ value, onChange }: ControlProps<Settings['rerankers']>) => (
  <JsonField
    label='JSON by name: {"default": {"source": "cohere", "apiKey": "KEY"}}'
    value={value}
    onChange={(next) => onChange((isObject(next) ? next : {}) as Settings['rerankers'])}
  />
);

interface JsonFieldProps {
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

const LINES_MAX = 10;

/** A part that is JSON by its nature, such as the body of a provider's request. */
export function JsonField({ label, value, onChange }: JsonFieldProps) {
  const [text, setText] = useState(() =>
    value === undefined ? '' : JSON.stringify(value, null, 2),
  );
  const [refusal, setRefusal] = useState('');
  const take = (given: string) => {
    setText(given);
    try {
      onChange(given.trim() === '' ? undefined : JSON.parse(given));
      setRefusal('');
    } catch (error) {
      setRefusal(`Not valid JSON yet: ${(error as SyntaxError).message}`);
    }
  };
  return (
    <label class="text">
      <span>{label}</span>
      <textarea
        spellcheck={false}
        rows={Math.min(LINES_MAX, text.split('\n').length + 1)}
        aria-invalid={refusal !== ''}
        value={text}
        onInput={({ currentTarget }) => take(currentTarget.value)}
      />
      {refusal !== '' && <span class="failure">{refusal}</span>}
    </label>
  );
}
