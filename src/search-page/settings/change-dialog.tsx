/** Shows the changes of a save and their cost, saves, and follows the task. */
import { useRef } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { humanSize } from '../../core/human-size.ts';
import type { Json } from '../../core/json.ts';
import { api } from '../api-client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { humanCount } from '../parts/human.ts';
import { Table } from '../parts/table.tsx';
import { useRequest } from '../parts/use-request.ts';
import { useWrite, WriteNote } from '../parts/use-write.tsx';
import type { SettingChange } from './settings-change.ts';

interface Preview {
  readonly rebuilds: readonly {
    readonly component: string;
    readonly documents: number;
    readonly bytes: number;
  }[];
  /** Embedders that would embed the documents again. */
  readonly embeds: readonly string[];
}

interface ChangeDialogProps {
  readonly index: string;
  readonly title: string;
  readonly changes: readonly SettingChange[];
  /** Body of `PATCH /settings`. */
  readonly update: Json;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

export function ChangeDialog(props: ChangeDialogProps) {
  const { index, title, changes, update, onSaved, onClose } = props;
  const { write, state, isBusy } = useWrite(onSaved);
  const path = `indexes/${encodeURIComponent(index)}/settings`;
  const preview = useRequest<Preview>(
    (signal) => api.request('POST', `${path}/preview`, { body: { settings: update }, signal }),
    [],
  );
  const footer = useRef<HTMLElement>(null);
  const save = () => {
    // The button that has the focus disappears.
    footer.current?.querySelector<HTMLElement>('button:last-of-type')?.focus();
    void write('Save settings', () => api.request('PATCH', path, { body: update }));
  };
  const isReviewed = state === null || state.failure !== null;
  return (
    <Dialog title={title} onClose={onClose}>
      <ChangeTable changes={changes} />
      {isReviewed && <Cost preview={preview.answer} />}
      <FailureNote failure={preview.failure} />
      <WriteNote state={state} />
      <footer class="buttons" ref={footer}>
        {isReviewed && <Button text="Save" disabled={preview.answer === null} onClick={save} />}
        <Button
          text={state?.isDone === true ? 'Done' : isBusy ? 'Hide' : 'Back'}
          class="quiet"
          onClick={onClose}
        />
      </footer>
    </Dialog>
  );
}

const ROWS_MAX = 100;

const ChangeTable = ({ changes }: { readonly changes: readonly SettingChange[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
  <section class="changes" aria-label="Changes" tabIndex={0}>
    <Table titles={['Setting', 'Before', 'After']}>
      {changes.slice(0, ROWS_MAX).map(({ what, before, after }) => (
        <tr key={`${what} ${before} ${after}`}>
          <th scope="row">{what}</th>
          <td>{before === null ? '–' : <del>{before}</del>}</td>
          <td>{after === null ? 'removed' : <ins>{after}</ins>}</td>
        </tr>
      ))}
    </Table>
    {changes.length > ROWS_MAX && <p>and {humanCount(changes.length - ROWS_MAX)} more</p>}
  </section>
);

const COMPONENTS: Readonly<Record<string, string>> = {
  documents: 'the words',
  columns: 'the values for filters and sorting',
  vectors: 'the vectors',
};

function Cost({ preview }: { readonly preview: Preview | null }) {
  if (preview === null) return null;
  const { rebuilds, embeds } = preview;
  if (rebuilds.length === 0 && embeds.length === 0)
    return <p class="cost">No re-indexing: searches use the change at once.</p>;
  return (
    <div class="cost">
      <p>
        <strong>This re-indexes.</strong> Searches use the old settings until it is done.
      </p>
      <ul>
        {rebuilds.map(({ component, documents, bytes }) => (
          <li key={component}>
            {COMPONENTS[component] ?? component} of {counted(documents, 'document')} (
            {humanSize(bytes)})
          </li>
        ))}
        {embeds.map((name) => (
          <li key={name}>embeddings of {name}: a provider may charge for them</li>
        ))}
      </ul>
    </div>
  );
}
