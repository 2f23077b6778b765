/** Controls for settings that name fields of the index. */

import { useContext } from 'preact/hooks';
import type { FilterableRule, ForeignKey } from '../../model/settings.ts';
import { CheckBox } from '../parts/check-box.tsx';
import { AddNames, NameList } from '../parts/name-list.tsx';
import { OrderedList } from '../parts/ordered-list.tsx';
import { Rows } from '../parts/rows.tsx';
import { Select } from '../parts/select.tsx';
import { type ControlProps, Surroundings } from './control.ts';
import { fieldNamesOf, isKnownField, unknownNote } from './field-names.ts';

interface FieldListProps extends ControlProps<readonly string[]> {
  readonly list?: typeof OrderedList;
}

/** A list of fields, by default in any order. */
export function FieldList({ title, value, onChange, list }: FieldListProps) {
  const { fields } = useContext(Surroundings);
  return (
    <NameList
      {...(list && { list })}
      label={title}
      addLabel={addFieldTo(title)}
      items={value}
      suggestions={fields}
      read={(text) => fieldNamesOf(text, fields)}
      noteOf={unknownNote(fields)}
      onChange={onChange}
    />
  );
}

const addFieldTo = (title: string): string => `Add a field to ${title.toLowerCase()}`;

interface AddFieldProps {
  readonly title: string;
  readonly taken: readonly string[];
  readonly onAdd: (names: readonly string[]) => void;
}

export function AddField({ title, taken, onAdd }: AddFieldProps) {
  const { fields } = useContext(Surroundings);
  return (
    <AddNames
      label={addFieldTo(title)}
      suggestions={fields}
      taken={taken}
      read={(text) => fieldNamesOf(text, fields)}
      onAdd={onAdd}
    />
  );
}

const ALL: readonly string[] = ['*'];
const isAll = (value: readonly string[]): boolean => value.length === 1 && value[0] === '*';

/** All fields, or an ordered list of fields. */
export function AllOrFields(props: ControlProps<readonly string[]>) {
  const { value, onChange } = props;
  const { fields } = useContext(Surroundings);
  const choice = (label: string, all: boolean) => (
    <label>
      <input
        type="radio"
        checked={isAll(value) === all}
        onChange={() => onChange(all ? ALL : fields)}
      />{' '}
      {label}
    </label>
  );
  return (
    <>
      <div class="options">
        {choice('All fields', true)}
        {choice('Chosen fields', false)}
      </div>
      {!isAll(value) && <FieldList {...props} list={OrderedList} />}
    </>
  );
}

/** One field, or none. */
export function OneField({ title, value, onChange }: ControlProps<string | null>) {
  const { fields } = useContext(Surroundings);
  const shown = value === null || fields.includes(value) ? fields : [value, ...fields];
  return (
    <>
      <Select
        name={title}
        value={value ?? ''}
        options={[['', 'none'], ...shown]}
        onChange={(field) => onChange(field || null)}
      />
      {value !== null && !isKnownField(value, fields) && (
        <p class="note">{value} is not a field yet</p>
      )}
    </>
  );
}

type Filterable = string | FilterableRule;

/** A name alone allows everything. */
const ruleOf = (item: Filterable): FilterableRule =>
  typeof item === 'string'
    ? {
        attributePatterns: [item],
        features: { facetSearch: true, filter: { equality: true, comparison: true } },
      }
    : item;

const nameOf = (item: Filterable): string => ruleOf(item).attributePatterns.join(', ');

/** Fields that filters may use, with what they allow. */
export function FilterableFields({ title, value, onChange }: ControlProps<readonly Filterable[]>) {
  const { fields } = useContext(Surroundings);
  const names = value.flatMap((item) => ruleOf(item).attributePatterns);
  const noteOf = (item: Filterable) =>
    ruleOf(item)
      .attributePatterns.map(unknownNote(fields))
      .find((text) => text !== null) ?? null;
  return (
    <>
      <Rows
        label={title}
        items={value}
        nameOf={nameOf}
        noteOf={noteOf}
        control={(item, at) => (
          <FilterFeatures item={item} onChange={(next) => onChange(value.with(at, next))} />
        )}
        onRemove={(item) => onChange(value.filter((other) => other !== item))}
      />
      <AddField title={title} taken={names} onAdd={(added) => onChange([...value, ...added])} />
    </>
  );
}

interface FilterFeaturesProps {
  readonly item: Filterable;
  readonly onChange: (item: Filterable) => void;
}

function FilterFeatures({ item, onChange }: FilterFeaturesProps) {
  const { attributePatterns, features } = ruleOf(item);
  const { facetSearch, filter } = features;
  const box = (
    label: string,
    isOn: boolean,
    next: (isOn: boolean) => FilterableRule['features'],
  ) => (
    <CheckBox
      isOn={isOn}
      onChange={(isNowOn) => onChange({ attributePatterns, features: next(isNowOn) })}
    >
      {label}
      <span class="hidden"> on {nameOf(item)}</span>
    </CheckBox>
  );
  return (
    <span class="options">
      {box('=', filter.equality, (equality) => ({ facetSearch, filter: { ...filter, equality } }))}
      {box('< >', filter.comparison, (comparison) => ({
        facetSearch,
        filter: { ...filter, comparison },
      }))}
      {box('facet search', facetSearch, (isOn) => ({ facetSearch: isOn, filter }))}
    </span>
  );
}

/** Fields whose values are ids of another index. */
export function ForeignKeys({ title, value, onChange }: ControlProps<readonly ForeignKey[]>) {
  const { indexes } = useContext(Surroundings);
  return (
    <>
      <Rows
        label={title}
        items={value}
        nameOf={({ fieldName }) => fieldName}
        control={(key, at) => (
          <Select
            name={`Index of ${key.fieldName}`}
            value={key.foreignIndexUid}
            options={[...new Set([key.foreignIndexUid, ...indexes])]}
            onChange={(foreignIndexUid) => onChange(value.with(at, { ...key, foreignIndexUid }))}
          />
        )}
        onRemove={(key) => onChange(value.filter((other) => other !== key))}
      />
      <AddField
        title={title}
        taken={value.map(({ fieldName }) => fieldName)}
        onAdd={(names) =>
          onChange([
            ...value,
            ...names.map((fieldName) => ({ fieldName, foreignIndexUid: indexes[0] ?? '' })),
          ])
        }
      />
    </>
  );
}
