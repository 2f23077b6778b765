/** Names as a list with a text field that adds further ones. */
import { useId, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Chips, type ListProps } from './chips.tsx';
import type { NamesRead } from './names-read.ts';

export interface NameListProps extends ListProps {
  readonly addLabel: string;
  readonly suggestions?: readonly string[];
  readonly read: (text: string) => NamesRead;
  /** By default chips, in any order. */
  readonly list?: (props: ListProps) => preact.JSX.Element;
}

export function NameList({
  addLabel,
  suggestions,
  read,
  list: List = Chips,
  ...shared
}: NameListProps) {
  const { items, onChange } = shared;
  return (
    <>
      <List {...shared} />
      <AddNames
        label={addLabel}
        suggestions={suggestions}
        taken={items}
        read={read}
        onAdd={(names) => onChange([...items, ...names])}
      />
    </>
  );
}

interface AddNamesProps {
  readonly label: string;
  readonly suggestions?: readonly string[] | undefined;
  /** Names of the list. */
  readonly taken: readonly string[];
  readonly read: (text: string) => NamesRead;
  /** Receives names that the list lacks, each once. */
  readonly onAdd: (names: readonly string[]) => void;
}

const CHOSEN_FROM_LIST = 'insertReplacementText';
/** Browsers become slow with longer lists. */
const SUGGESTED_MAX = 500;

/** Adds on Enter, on leaving the field, and on choosing a suggestion. */
export function AddNames({ label, suggestions = [], taken, read, onAdd }: AddNamesProps) {
  const [text, setText] = useState('');
  const [refusal, setRefusal] = useState('');
  const id = useId();
  const isNew = (name: string) => !taken.includes(name);
  const add = (given: string) => {
    if (given.trim() === '') return setRefusal('');
    const found = read(given);
    if ('refusal' in found) return setRefusal(found.refusal);
    onAdd([...new Set(found.names)].filter(isNew));
    setText('');
    setRefusal('');
  };
  return (
    <div class="add-names row">
      <input
        aria-label={label}
        aria-describedby={refusal === '' ? undefined : `${id}-refusal`}
        aria-invalid={refusal !== ''}
        placeholder={label}
        list={`${id}-names`}
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setText(value);
          if ((event as InputEvent).inputType === CHOSEN_FROM_LIST) add(value);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add(text);
        }}
        onBlur={() => add(text)}
      />
      <datalist id={`${id}-names`}>
        {suggestions
          .filter(isNew)
          .slice(0, SUGGESTED_MAX)
          .map((name) => (
            <option key={name} value={name} />
          ))}
      </datalist>
      <Button text="Add" about={`: ${label}`} class="quiet" onClick={() => add(text)} />
      {refusal !== '' && (
        <p class="failure" role="alert" id={`${id}-refusal`}>
          {refusal}
        </p>
      )}
    </div>
  );
}
