/** Text field that adds names to a list: on Enter, on leaving the field, or on choosing a suggestion. */
import { useId, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import type { NamesRead } from './names-read.ts';

interface AddNamesProps {
  readonly label: string;
  readonly suggestions: readonly string[];
  readonly read: (text: string) => NamesRead;
  readonly onAdd: (names: readonly string[]) => void;
}

const CHOSEN_FROM_LIST = 'insertReplacementText';
/** Browsers become slow with longer lists. */
const SUGGESTED_MAX = 500;

export function AddNames({ label, suggestions, read, onAdd }: AddNamesProps) {
  const [text, setText] = useState('');
  const [refusal, setRefusal] = useState('');
  const id = useId();
  const add = (given: string) => {
    if (given.trim() === '') return setRefusal('');
    const found = read(given);
    if ('refusal' in found) return setRefusal(found.refusal);
    onAdd(found.names);
    setText('');
    setRefusal('');
  };
  return (
    <div class="add-names">
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
        {suggestions.slice(0, SUGGESTED_MAX).map((name) => (
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
