/** Imports a dropped or chosen file of documents into an index and shows the progress. */
import { useState } from 'preact/hooks';
import { documentFormOf } from '../../model/document-form.ts';
import { type ApiClient, ApiFailure } from '../api-client.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { followTask } from '../parts/follow-task.ts';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { uploadDocuments } from './upload-documents.ts';

interface ImportFormProps {
  readonly api: ApiClient;
  readonly onDone: () => void;
}

type Stage =
  | { readonly kind: 'choosing' }
  | { readonly kind: 'working'; readonly label: string; readonly part: number | null }
  | { readonly kind: 'done'; readonly indexUid: string };

const TAKEN = '.json,.ndjson,.jsonl,.csv,.gz';

export function ImportForm({ api, onDone }: ImportFormProps) {
  const [file, setFile] = useState<File | null>(null);
  const [indexUid, setIndexUid] = useState('');
  const [primaryKey, setPrimaryKey] = useState('');
  const [stage, setStage] = useState<Stage>({ kind: 'choosing' });
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const choose = (chosen: File | undefined) => {
    if (chosen === undefined) return;
    const source = documentFormOf(chosen.name);
    setFailure(
      source === null
        ? new ApiFailure(
            0,
            '',
            `${chosen.name} is not a .json, .ndjson, .jsonl or .csv file (or one of them with .gz).`,
          )
        : null,
    );
    setFile(source === null ? null : chosen);
    setIndexUid(source?.indexUid ?? '');
    setStage({ kind: 'choosing' });
  };
  const send = async (event: Event) => {
    event.preventDefault();
    const source = file === null ? null : documentFormOf(file.name);
    if (file === null || source === null) return;
    const show = (label: string) => (part: number | null) =>
      setStage({ kind: 'working', label, part });
    setFailure(null);
    try {
      const upload = { indexUid, primaryKey, source, file };
      const taskUid = await uploadDocuments(api, upload, show('Sending'));
      await followTask(api, taskUid, show('Indexing'));
      setStage({ kind: 'done', indexUid });
      setFile(null);
      onDone();
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      setStage({ kind: 'choosing' });
      setFailure(error);
    }
  };
  return (
    <form class="import" onSubmit={(event) => void send(event)}>
      <DropZone fileName={file?.name ?? null} onFile={choose} />
      {file !== null && (
        <div class="options">
          <TextField label="Index name" text={indexUid} onChange={setIndexUid} isNeeded />
          <TextField
            label="Primary key (inferred if empty)"
            text={primaryKey}
            onChange={setPrimaryKey}
          />
          <button type="submit" disabled={stage.kind === 'working'}>
            Import
          </button>
        </div>
      )}
      {stage.kind === 'working' && <ProgressBar label={stage.label} part={stage.part} />}
      {stage.kind === 'done' && (
        <p role="status">
          Done. <a href={`#/search/${encodeURIComponent(stage.indexUid)}`}>Search the index</a>
        </p>
      )}
      <FailureNote failure={failure} />
    </form>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly isNeeded?: boolean;
}

const TextField = ({ label, text, onChange, isNeeded = false }: TextFieldProps) => (
  <label>
    {label}{' '}
    <input
      required={isNeeded}
      value={text}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  </label>
);

interface DropZoneProps {
  readonly fileName: string | null;
  readonly onFile: (file: File | undefined) => void;
}

function DropZone({ fileName, onFile }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(event.type === 'dragover');
    if (event.type === 'drop') onFile(event.dataTransfer?.files[0]);
  };
  return (
    <label class={isOver ? 'drop over' : 'drop'} onDragOver={over} onDragLeave={over} onDrop={over}>
      {fileName ??
        'Drop a file with documents here, or choose one: JSON, NDJSON, CSV, optionally gzipped'}
      <input
        type="file"
        accept={TAKEN}
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
    </label>
  );
}
