/** Shows what a save changes and what it costs, saves, and follows the task. */
import { useState } from 'preact/hooks';
import { humanSize } from '../../core/human-size.ts';
import type { Json } from '../../core/json.ts';
import type { ApiClient } from '../api-client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { followTask } from '../parts/follow-task.ts';
import { humanCount } from '../parts/human.ts';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useRequest } from '../parts/use-request.ts';
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
  readonly api: ApiClient;
  readonly index: string;
  readonly title: string;
  readonly changes: readonly SettingChange[];
  /** Body of `PATCH /settings`. */
  readonly update: Json;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

type Stage =
  | { readonly kind: 'reviewing' }
  | { readonly kind: 'saving'; readonly taskUid: number | null; readonly part: number | null }
  | { readonly kind: 'saved'; readonly taskUid: number };

export function ChangeDialog(props: ChangeDialogProps) {
  const { api, index, title, changes, update, onSaved, onClose } = props;
  const [stage, setStage] = useState<Stage>({ kind: 'reviewing' });
  const { refused, attempt } = useAttempt();
  const path = `indexes/${encodeURIComponent(index)}/settings`;
  const preview = useRequest<Preview>(
    (signal) => api.request('POST', `${path}/preview`, { body: { settings: update }, signal }),
    [],
  );
  const save = async () => {
    setStage({ kind: 'saving', taskUid: null, part: null });
    let saved = -1;
    const isDone = await attempt(async () => {
      const { taskUid } = await api.request<{ taskUid: number }>('PATCH', path, { body: update });
      saved = taskUid;
      await followTask(api, taskUid, (part) => setStage({ kind: 'saving', taskUid, part }));
    });
    setStage(isDone ? { kind: 'saved', taskUid: saved } : { kind: 'reviewing' });
    if (isDone) onSaved();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <ChangeTable changes={changes} />
      {stage.kind === 'reviewing' && <Cost preview={preview.answer} />}
      <FailureNote failure={refused ?? preview.failure} />
      {stage.kind === 'saving' && (
        <ProgressBar
          label={stage.taskUid === null ? 'Saving' : `Task ${stage.taskUid}`}
          part={stage.part}
        />
      )}
      <p role="status">
        {stage.kind === 'saved' && (
          <>
            ✓ Saved: <a href="#/tasks">task {stage.taskUid}</a> succeeded.
          </>
        )}
      </p>
      <footer class="buttons">
        {stage.kind === 'reviewing' && (
          <button type="button" disabled={preview.answer === null} onClick={() => void save()}>
            Save
          </button>
        )}
        <button type="button" class="quiet" onClick={onClose}>
          {stage.kind === 'saved' ? 'Done' : stage.kind === 'saving' ? 'Hide' : 'Back'}
        </button>
      </footer>
    </Dialog>
  );
}

const ROWS_MAX = 100;

const ChangeTable = ({ changes }: { readonly changes: readonly SettingChange[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
  <section class="changes" aria-label="Changes" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changes.slice(0, ROWS_MAX).map(({ what, before, after }) => (
          <tr key={`${what} ${before} ${after}`}>
            <th scope="row">{what}</th>
            <td>{before === null ? '–' : <del>{before}</del>}</td>
            <td>{after === null ? 'removed' : <ins>{after}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
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
            {COMPONENTS[component] ?? component} of {humanCount(documents)} documents (
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
