/** Embedders of an index: add, change, test, remove. */

import { useContext, useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { EMBEDDER_SOURCES, type EmbedderSource } from '../../model/embedders/embedder-settings.ts';
import type { Settings } from '../../model/settings.ts';
import { api } from '../api-client.ts';
import { Button } from '../parts/button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Select } from '../parts/select.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { type ControlProps, Surroundings } from './control.ts';
import { EmbedderFields, emptyEmbedder, SOURCE_LABELS } from './embedder-fields.tsx';
import { without } from './field-names.ts';

type Embedders = Settings['embedders'];

export function EmbedderList({ value, onChange }: ControlProps<Embedders>) {
  const { stored } = useContext(Surroundings);
  const storedText = (name: string) =>
    JSON.stringify((stored['embedders'] as Embedders | undefined)?.[name]);
  return (
    <>
      {Object.entries(value).map(([name, embedder]) => (
        <details class="embedder" key={name} open={storedText(name) === undefined}>
          <summary>
            {name} <span class="about">{SOURCE_LABELS[embedder.source]}</span>
          </summary>
          <EmbedderFields
            name={name}
            place="whole"
            value={embedder}
            onChange={(next) => onChange({ ...value, [name]: next })}
          />
          {embedder.source !== 'userProvided' && (
            <TestEmbedder name={name} isStored={storedText(name) === JSON.stringify(embedder)} />
          )}
          <Button
            text={`Remove ${name}`}
            class="ghost"
            onClick={() => onChange(without(value, name))}
          />
        </details>
      ))}
      <NewEmbedder
        taken={Object.keys(value)}
        onAdd={(name, source) => onChange({ ...value, [name]: emptyEmbedder(source, 'whole') })}
      />
    </>
  );
}

interface NewEmbedderProps {
  readonly taken: readonly string[];
  readonly onAdd: (name: string, source: EmbedderSource) => void;
}

const NAME = /^[\w-]+$/;

function NewEmbedder({ taken, onAdd }: NewEmbedderProps) {
  const [name, setName] = useState('');
  const [source, setSource] = useState<EmbedderSource>('openAi');
  const [refusal, setRefusal] = useState('');
  const add = () => {
    if (!NAME.test(name)) return setRefusal('A name has letters, digits, - and _.');
    if (taken.includes(name)) return setRefusal(`There is an embedder ${name} already.`);
    onAdd(name, source);
    setName('');
    setRefusal('');
  };
  return (
    <div class="options">
      <input
        aria-label="Name of the new embedder"
        placeholder="Name of the new embedder"
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Select
        name="Source of the new embedder"
        value={source}
        options={EMBEDDER_SOURCES.map((known) => [known, SOURCE_LABELS[known]])}
        onChange={setSource}
      />
      <Button text="Add embedder" class="quiet" onClick={add} />
      {refusal !== '' && (
        <p class="failure" role="alert">
          {refusal}
        </p>
      )}
    </div>
  );
}

interface Trial {
  readonly hits: number;
  readonly ms: number;
}

interface TestEmbedderProps {
  readonly name: string;
  /** The test searches with the stored embedder. */
  readonly isStored: boolean;
}

/** Searches by meaning alone, which fails if the embedder does. */
function TestEmbedder({ name, isStored }: TestEmbedderProps) {
  const { index } = useContext(Surroundings);
  const [text, setText] = useState('test');
  const [trial, setTrial] = useState<Trial | null>(null);
  const { refused, attempt } = useAttempt();
  const test = () => {
    setTrial(null);
    attempt(async () => {
      const beginMs = performance.now();
      const body = { q: text, limit: 3, hybrid: { embedder: name, semanticRatio: 1 } };
      const path = `indexes/${encodeURIComponent(index)}/search`;
      const { hits } = await api.request<{ hits: readonly unknown[] }>('POST', path, { body });
      setTrial({ hits: hits.length, ms: Math.round(performance.now() - beginMs) });
    });
  };
  if (!isStored) return <p class="about">Save the embedder to test it with a search.</p>;
  return (
    <div class="options">
      <input
        aria-label={`Text to test ${name} with`}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button text={`Test ${name}`} class="quiet" onClick={test} />
      {trial !== null && (
        <p role="status">
          The embedder answered: {counted(trial.hits, 'document')} in {trial.ms} ms.
        </p>
      )}
      <FailureNote failure={refused} />
    </div>
  );
}
