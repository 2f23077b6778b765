/** One document as JSON: read, edit, save, delete; also a new one. */
import { useEffect, useState } from 'preact/hooks';
import { api } from '../api-client.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { useRequest } from '../parts/use-request.ts';
import { WriteNote, type Writes } from '../parts/use-write.tsx';
import { documentOfText, indentedJson, providedVectors, withVectors } from './json-text.ts';

interface DocumentDialogProps {
  readonly index: string;
  readonly primaryKey: string | null;
  /** null for a new document. */
  readonly id: string | null;
  /** Text of a new document. */
  readonly template: string;
  readonly writes: Writes;
  readonly onClose: () => void;
}

const ROWS_MIN = 8;
const ROWS_MAX = 24;

export function DocumentDialog(props: DocumentDialogProps) {
  const { index, id, primaryKey, writes, onClose } = props;
  const path = `indexes/${encodeURIComponent(index)}/documents`;
  const stored = useStored(path, id);
  const [text, setText] = useState<string | null>(id === null ? props.template : null);
  const [isDeleting, setDeleting] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    if (stored.answer !== null) setText(indentedJson(stored.answer.text));
  }, [stored.answer]);
  const save = () => {
    const read = documentOfText(text ?? '', primaryKey);
    if ('fault' in read) return setFault(read.fault);
    setFault(null);
    const key = primaryKey === null ? undefined : read.document[primaryKey];
    const json = withVectors(text ?? '', stored.answer?.vectors ?? null);
    return void writes.write(`Save document ${key === undefined ? '' : String(key)}`.trim(), () =>
      api.request('POST', path, { bytes: json }),
    );
  };
  const remove = () =>
    void writes.write(`Delete document ${id}`, () =>
      api.request('DELETE', `${path}/${encodeURIComponent(id ?? '')}`),
    );
  return (
    <Dialog title={id === null ? 'New document' : `Document ${id}`} onClose={onClose}>
      <FailureNote failure={stored.failure} />
      {text !== null && (
        <>
          <textarea
            class="json-editor"
            aria-label="Document as JSON"
            spellcheck={false}
            rows={Math.min(ROWS_MAX, Math.max(ROWS_MIN, text.split('\n').length))}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <KeyNote text={text} id={id} primaryKey={primaryKey} />
        </>
      )}
      {fault !== null && (
        <p class="failure" role="alert">
          {fault}
        </p>
      )}
      <WriteNote state={writes.unfinished} />
      <footer class="buttons">
        {isDeleting ? (
          <>
            <p>Delete document {id}?</p>
            <Button text="Delete" class="danger" onClick={remove} />
            <Button text="Keep" class="quiet" onClick={() => setDeleting(false)} />
          </>
        ) : (
          <>
            <Button
              text={id === null ? 'Add document' : 'Save'}
              disabled={text === null}
              onClick={save}
            />
            {id !== null && (
              <Button text="Delete …" class="quiet" onClick={() => setDeleting(true)} />
            )}
            {text !== null && <CopyButton text={text} />}
          </>
        )}
      </footer>
    </Dialog>
  );
}

interface StoredDocument {
  /** JSON as stored. */
  readonly text: string;
  /** Provided embeddings as JSON, null = none. */
  readonly vectors: string | null;
}

function useStored(path: string, id: string | null) {
  const one = `${path}/${encodeURIComponent(id ?? '')}`;
  return useRequest<StoredDocument>(
    id === null
      ? null
      : async (signal) => {
          const [text, withAll] = await Promise.all([
            api.requestText('GET', one, { signal }),
            api.requestText('GET', `${one}?retrieveVectors=true`, { signal }),
          ]);
          return { text, vectors: providedVectors(withAll) };
        },
    [path, id],
  );
}

/** Warns that another key makes another document. */
function KeyNote({
  text,
  id,
  primaryKey,
}: Record<'text', string> & Pick<DocumentDialogProps, 'id' | 'primaryKey'>) {
  if (id === null || primaryKey === null) return null;
  const read = documentOfText(text, primaryKey);
  if ('fault' in read || String(read.document[primaryKey]) === id) return null;
  return (
    <p class="note" role="status">
      Saving adds a document with another {primaryKey}; document {id} stays as it is.
    </p>
  );
}
