/** Deletes all documents of an index, or those that match a filter, after a count. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import type { ApiClient } from '../api-client.ts';
import { Button, submitting } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { TextField } from '../parts/text-field.tsx';
import { usePost } from '../parts/use-request.ts';
import { WriteNote, type Writes } from '../parts/use-write.tsx';

interface DeleteDialogProps {
  readonly api: ApiClient;
  readonly index: string;
  readonly writes: Writes;
  readonly onClose: () => void;
}

/** Number of documents that match; all without a filter. */
const useCount = (api: ApiClient, path: string, filter?: string) =>
  usePost<{ readonly total: number }>(api, `${path}/fetch`, { limit: 0, filter });

export function DeleteMatching({
  api,
  index,
  filter,
  writes,
  onClose,
}: DeleteDialogProps & { readonly filter: string }) {
  const path = `indexes/${encodeURIComponent(index)}/documents`;
  const { answer, failure } = useCount(api, path, filter);
  const total = answer?.total ?? 0;
  const label = `Delete ${counted(total, 'document')}`;
  const remove = () =>
    writes.write(label, () => api.request('POST', `${path}/delete`, { body: { filter } }));
  return (
    <Dialog title="Delete by filter" onClose={onClose}>
      <FailureNote failure={failure} />
      {answer !== null && (
        <p role="status">
          <strong>{counted(total, 'document')}</strong> of {index}{' '}
          {total === 1 ? 'matches' : 'match'} this filter:
        </p>
      )}
      <pre class="code">{filter}</pre>
      <WriteNote state={writes.unfinished} />
      <footer class="buttons">
        <Button text={label} class="danger" disabled={total === 0} onClick={() => void remove()} />
      </footer>
    </Dialog>
  );
}

export function EmptyIndex({ api, index, writes, onClose }: DeleteDialogProps) {
  const path = `indexes/${encodeURIComponent(index)}/documents`;
  const { answer, failure } = useCount(api, path);
  const [name, setName] = useState('');
  const remove = () => void writes.write(`Empty index ${index}`, () => api.request('DELETE', path));
  return (
    <Dialog title={`Empty index ${index}`} onClose={onClose}>
      <FailureNote failure={failure} />
      <form onSubmit={submitting(remove)}>
        <p>
          {answer !== null && <strong>{counted(answer.total, 'document')}. </strong>}
          All of them are deleted. The settings of the index stay.
        </p>
        <TextField
          label="Type the name of the index to confirm"
          value={name}
          isName
          onChange={setName}
        />
        <WriteNote state={writes.unfinished} />
        <footer class="buttons">
          <button type="submit" class="danger" disabled={name !== index}>
            Delete all documents
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
