/** Controls for lists of words, languages and synonyms. */
import { useState } from 'preact/hooks';
import { normalizeLocale } from '../../model/locales.ts';
import { Button, submitting } from '../parts/button.tsx';
import { CheckBox } from '../parts/check-box.tsx';
import { NameList, type NameListProps } from '../parts/name-list.tsx';
import type { NamesRead } from '../parts/names-read.ts';
import { Rows } from '../parts/rows.tsx';
import type { ControlProps } from './control.ts';
import {
  mergedSynonyms,
  mutualSynonyms,
  type Synonyms,
  tokenOf,
  without,
  wordsOf,
} from './field-names.ts';

const LINES_MAX = 12;

const listOf = (text: string, separator: string): string[] =>
  text
    .split(separator)
    .map((word) => word.trim())
    .filter(Boolean);

/** Words as chips, or as a text with one word a line for long lists. */
export function WordList({ title, value, onChange }: ControlProps<readonly string[]>) {
  const [text, setText] = useState<string | null>(null);
  const apply = () => {
    if (text !== null) onChange([...new Set(listOf(text, '\n'))]);
    setText(null);
  };
  if (text !== null)
    return (
      <div>
        <textarea
          aria-label={`${title}, one a line`}
          spellcheck={false}
          rows={LINES_MAX}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onBlur={apply}
        />
        <Button text="Done" class="quiet" onClick={apply} />
      </div>
    );
  return (
    <>
      <Entries title={title} value={value} onChange={onChange} read={wordsOf} />
      <Button
        text="Edit as text"
        about={`: ${title}`}
        class="ghost"
        onClick={() => setText(value.join('\n'))}
      />
    </>
  );
}

/** Characters or short texts, which may be commas. */
export const TokenList = (props: ControlProps<readonly string[]>) => (
  <Entries {...props} read={tokenOf} />
);

type EntriesProps = ControlProps<readonly string[]> &
  Pick<NameListProps, 'read' | 'suggestions' | 'aboutOf'>;

const Entries = ({ title, value, ...shared }: EntriesProps) => (
  <NameList {...shared} label={title} addLabel={`Add to ${title.toLowerCase()}`} items={value} />
);

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' });

function languageName(code: string): string | null {
  const name = languageNames.of(code);
  return name === undefined || name === code ? null : name;
}

const languagesOf = (text: string): NamesRead => {
  const codes = text.split(/[\s,]+/).filter(Boolean);
  const wrong = codes.find((code) => normalizeLocale(code) === null);
  if (wrong !== undefined) return { refusal: `${wrong} is not the code of a supported language.` };
  return { names: codes.map((code) => normalizeLocale(code) ?? code) };
};

/** Codes of languages. @param codes suggestions */
export const languageList =
  (codes: readonly string[]) => (props: ControlProps<readonly string[]>) => (
    <Entries {...props} read={languagesOf} suggestions={codes} aboutOf={languageName} />
  );

const SYNONYMS_SHOWN_MAX = 100;

/** Words with their synonyms, one row a word. */
export function SynonymRows({ title, value, onChange }: ControlProps<Synonyms>) {
  const [wanted, setWanted] = useState('');
  const all = Object.entries(value);
  const found = all.filter(([word, others]) =>
    [word, ...others].some((text) => text.includes(wanted)),
  );
  return (
    <>
      {all.length > SYNONYMS_SHOWN_MAX && (
        <input
          type="search"
          aria-label="Find a word in the synonyms"
          placeholder="Find a word"
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      )}
      <Rows
        label={title}
        items={found.slice(0, SYNONYMS_SHOWN_MAX)}
        nameOf={([word]) => word}
        control={([word, others]) => (
          <input
            class="wide"
            aria-label={`Synonyms of ${word}`}
            value={others.join(', ')}
            onChange={({ currentTarget }) =>
              onChange({ ...value, [word]: listOf(currentTarget.value, ',') })
            }
          />
        )}
        onRemove={([word]) => onChange(without(value, word))}
      />
      {found.length > SYNONYMS_SHOWN_MAX && (
        <p class="about">
          The first {SYNONYMS_SHOWN_MAX} of {found.length} words.
        </p>
      )}
      <NewSynonyms value={value} onChange={onChange} />
    </>
  );
}

function NewSynonyms({ value, onChange }: Pick<ControlProps<Synonyms>, 'value' | 'onChange'>) {
  const [word, setWord] = useState('');
  const [others, setOthers] = useState('');
  const [isMutual, setMutual] = useState(true);
  const add = () => {
    const words = listOf(others, ',');
    if (word.trim() === '' || words.length === 0) return;
    const added = isMutual
      ? mutualSynonyms([...new Set([word.trim(), ...words])])
      : { [word.trim()]: words };
    onChange(mergedSynonyms(value, added));
    setWord('');
    setOthers('');
  };
  return (
    <form class="new-synonyms row" onSubmit={submitting(add)}>
      <input
        aria-label="Word"
        placeholder="Word"
        value={word}
        onInput={({ currentTarget }) => setWord(currentTarget.value)}
      />
      <input
        class="wide"
        aria-label="Its synonyms, with commas between them"
        placeholder="Its synonyms, with commas between them"
        value={others}
        onInput={({ currentTarget }) => setOthers(currentTarget.value)}
      />
      <CheckBox isOn={isMutual} onChange={setMutual}>
        in both directions
      </CheckBox>
      <button type="submit" class="quiet">
        Add<span class="hidden"> synonyms</span>
      </button>
    </form>
  );
}
