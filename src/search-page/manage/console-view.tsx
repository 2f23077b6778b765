/** Sends any request of the API: route from the server's own description, body from its example. */
import { useState } from 'preact/hooks';
import { type Json, parseJson } from '../../core/json.ts';
import { ApiFailure, api } from '../api-client.ts';
import { indentedJson } from '../documents/json-text.ts';
import { submitting } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { TextField } from '../parts/text-field.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useGet } from '../parts/use-request.ts';
import type { ViewProps } from '../view.ts';
import { type Operation, operationsOf, requestPath } from './openapi.ts';

const FIRST = 'POST /indexes/{indexUid}/search';

export function ConsoleView({ index, port }: ViewProps) {
  const description = useGet<Json>('openapi.json');
  const operations = description.answer === null ? [] : operationsOf(description.answer);
  const wanted = port.address.state['route'] ?? FIRST;
  const operation = operations.find(({ id }) => id === wanted) ?? operations[0];
  return (
    <section class="console">
      <h1>Request console</h1>
      <FailureNote failure={description.failure} />
      {operation !== undefined && (
        <>
          <RouteChoice
            operations={operations}
            chosen={operation.id}
            onChange={(route) => port.stay({ route })}
          />
          <RequestForm key={operation.id} operation={operation} index={index ?? ''} />
        </>
      )}
    </section>
  );
}

interface RouteChoiceProps {
  readonly operations: readonly Operation[];
  readonly chosen: string;
  readonly onChange: (id: string) => void;
}

const RouteChoice = ({ operations, chosen, onChange }: RouteChoiceProps) => (
  <label class="text">
    <span>Route</span>
    <select value={chosen} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {[...new Set(operations.map(({ group }) => group))].map((group) => (
        <optgroup key={group} label={group}>
          {operations
            .filter((operation) => operation.group === group)
            .map(({ id, summary }) => (
              <option key={id} value={id}>
                {id} – {summary}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  </label>
);

interface Exchange {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
}

interface RequestFormProps {
  readonly operation: Operation;
  readonly index: string;
}

function RequestForm({ operation, index }: RequestFormProps) {
  const { method, parameters, summary, example } = operation;
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({ indexUid: index });
  const [body, setBody] = useState(example ?? '');
  const [answer, setAnswer] = useState<Exchange | null>(null);
  const { refused, attempt } = useAttempt();
  const path = requestPath(operation, given);
  const send = () =>
    attempt(async () => {
      setAnswer(null);
      if (body.trim() !== '' && parseJson(body) === undefined)
        throw new ApiFailure(0, '', 'The body is not valid JSON.');
      const begunMs = performance.now();
      const bytes = body.trim() === '' ? {} : { bytes: new TextEncoder().encode(body) };
      const response = await api.send(method, path, bytes);
      const text = await response.text();
      setAnswer({ status: response.status, ms: performance.now() - begunMs, text });
    });
  return (
    <form class="stack" onSubmit={submitting(send)}>
      <p class="about">{summary}</p>
      <div class="parameters stack columns">
        {parameters.map(({ name, in: place, about }) => (
          <TextField
            key={name}
            label={place === 'path' ? `${name} (required)` : name}
            about={about}
            isRequired={place === 'path'}
            value={given[name] ?? ''}
            onChange={(text) => setGiven({ ...given, [name]: text })}
          />
        ))}
      </div>
      {example !== null && (
        <TextField label="Body, JSON" rows={10} value={body} onChange={setBody} />
      )}
      <div class="buttons">
        <button type="submit">Send</button>
        <code class="request-line">
          {method} /{path}
        </code>
      </div>
      <FailureNote failure={refused} />
      {answer !== null && <Answer answer={answer} />}
    </form>
  );
}

const SHOWN_CHARACTERS_MAX = 200_000;

function Answer({ answer: { status, ms, text } }: { readonly answer: Exchange }) {
  const shown = parseJson(text) === undefined ? text : indentedJson(text);
  return (
    <section class="answer" aria-label="Answer">
      <div class="buttons">
        <p role="status">
          <strong class={status < 400 ? 'status succeeded' : 'status failed'}>{status}</strong> in{' '}
          {Math.round(ms)} ms
        </p>
        <CopyButton text={shown} />
      </div>
      <textarea
        aria-label="Body of the answer"
        readOnly
        rows={20}
        value={shown.slice(0, SHOWN_CHARACTERS_MAX)}
      />
    </section>
  );
}
