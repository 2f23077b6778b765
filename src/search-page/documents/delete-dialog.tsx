/** Deletes the documents that match a filter, or all after the name of the index is typed. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { api } from '../api-client.ts';
import { submitting } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { TextField } from '../parts/text-field.tsx';
import { usePost } from '../parts/use-request.ts';
import { WriteNote, type Writes } from '../parts/use-write.tsx';

interface DeleteDialogProps {
  readonly index: string;
  /** null = all documents. */
  readonly filter: string | null;
  readonly writes: Writes;
  readonly onClose: () => void;
}

export function DeleteDialog({ index, filter, writes, onClose }: DeleteDialogProps) {
  const path = `indexes/${encodeURIComponent(index)}/documents`;
  const count = usePost<{ readonly total: number }>(`${path}/fetch`, {
    limit: 0,
    ...(filter !== null && { filter }),
  });
  const [name, setName] = useState('');
  const total = count.answer?.total ?? 0;
  const documents = counted(total, 'document');
  const label = filter === null ? `Empty index ${index}` : `Delete ${documents}`;
  const remove = () =>
    void writes.write(label, () =>
      filter === null
        ? api.request('DELETE', path)
        : api.request('POST', `${path}/delete`, { body: { filter } }),
    );
  return (
    <Dialog title={filter === null ? label : 'Delete by filter'} onClose={onClose}>
      <FailureNote failure={count.failure} />
      <form onSubmit={submitting(remove)}>
        <p role="status">
          {count.answer !== null && <strong>{documents}</strong>}
          {filter === null
            ? '. All of them are deleted. The settings of the index stay.'
            : ` of ${index} ${total === 1 ? 'matches' : 'match'} this filter:`}
        </p>
        {filter === null ? (
          <TextField
            label="Type the name of the index to confirm"
            value={name}
            isName
            onChange={setName}
          />
        ) : (
          <pre class="code">{filter}</pre>
        )}
        <WriteNote state={writes.unfinished} />
        <footer class="buttons">
          <button
            type="submit"
            class="danger"
            disabled={filter === null ? name !== index : total === 0}
          >
            {filter === null ? 'Delete all documents' : label}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
