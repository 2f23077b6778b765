/** Deletes the documents that match a filter, or all after the name of the index is typed. */
import { counted } from '../../core/counted.ts';
import { api } from '../api-client.ts';
import { DeletionDialog } from '../parts/deletion-dialog.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
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
    <DeletionDialog
      title={filter === null ? label : 'Delete by filter'}
      action={filter === null ? 'Delete all documents' : label}
      {...(filter === null && { typedIndex: index })}
      isDisabled={filter !== null && total === 0}
      onDelete={remove}
      onClose={onClose}
    >
      <FailureNote failure={count.failure} />
      <p role="status">
        {count.answer !== null && <strong>{documents}</strong>}
        {filter === null
          ? '. All of them are deleted. The settings of the index stay.'
          : ` of ${index} ${total === 1 ? 'matches' : 'match'} this filter:`}
      </p>
      {filter !== null && <pre class="code">{filter}</pre>}
      <WriteNote state={writes.unfinished} />
    </DeletionDialog>
  );
}
