/** Imports a dropped or chosen file of documents into an index and shows the progress. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { humanSize } from '../../core/human-size.ts';
import { type DocumentForm, documentFormOf } from '../../model/document-form.ts';
import { ApiFailure } from '../api-client.ts';
import { Button, submitting } from '../parts/button.tsx';
import { FailureNote, WithCode } from '../parts/failure-note.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { Select } from '../parts/select.tsx';
import { TextField } from '../parts/text-field.tsx';
import { CSV_DELIMITERS, csvDelimiterOf } from './csv-delimiter.ts';
import { headOf } from './read-file.ts';
import type { FileImport } from './send-documents.ts';
import { type ImportResult, rememberedImport, useImport } from './use-import.ts';

const TAKEN = '.json,.ndjson,.jsonl,.csv,.gz';

export function ImportForm({ onDone }: { readonly onDone: () => void }) {
  const [job, setJob] = useState<FileImport | null>(null);
  const [unknown, setUnknown] = useState<ApiFailure | null>(null);
  const { stage, start, reset } = useImport(onDone);
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    reset();
    const source = documentFormOf(file.name);
    setUnknown(source === null ? unknownForm(file.name) : null);
    setJob(source === null ? null : await jobOf(file, source));
  };
  const isWorking = stage.kind === 'working';
  const isDone = stage.kind === 'done' && stage.result.failures.length === 0;
  return (
    <form
      class="import stack"
      aria-label="Import documents"
      onSubmit={submitting(() => job !== null && void start(job))}
    >
      <DropZone file={job?.file ?? null} onFile={(file) => void choose(file)} />
      {job !== null && !isDone && <JobFields job={job} isWorking={isWorking} onChange={setJob} />}
      {stage.kind === 'working' && <ProgressBar label={stage.label} part={stage.part} />}
      {stage.kind === 'failed' && <FailureNote failure={stage.failure} />}
      {job !== null && !isWorking && !isDone && (
        <StartButtons job={job} onStartOver={() => void start(job, true)} />
      )}
      {stage.kind === 'done' && <ResultNote job={stage.job} result={stage.result} />}
      <FailureNote failure={unknown} />
    </form>
  );
}

const unknownForm = (name: string): ApiFailure =>
  new ApiFailure(
    0,
    '',
    `${name} is not a .json, .ndjson, .jsonl or .csv file (or one of them with .gz).`,
  );

async function jobOf(file: File, source: DocumentForm): Promise<FileImport> {
  const isCsv = source.format === 'csv';
  const csvDelimiter = isCsv ? csvDelimiterOf(await headOf(file, source.isCompressed)) : ',';
  const { indexUid } = source;
  return { file, source, indexUid, primaryKey: '', csvDelimiter, isUpdate: false };
}

interface JobFieldsProps {
  readonly job: FileImport;
  readonly isWorking: boolean;
  readonly onChange: (job: FileImport) => void;
}

const JobFields = ({ job, isWorking, onChange }: JobFieldsProps) => (
  <fieldset class="options" disabled={isWorking}>
    <legend>
      {job.file.name}, {humanSize(job.file.size)}
    </legend>
    <TextField
      label="Index name"
      value={job.indexUid}
      isName
      onChange={(indexUid) => onChange({ ...job, indexUid })}
    />
    <TextField
      label="Primary key"
      placeholder="inferred"
      value={job.primaryKey}
      onChange={(primaryKey) => onChange({ ...job, primaryKey })}
    />
    {job.source.format === 'csv' && (
      <Select
        class="text"
        label="Delimiter"
        value={job.csvDelimiter}
        options={Object.entries(CSV_DELIMITERS)}
        onChange={(csvDelimiter) => onChange({ ...job, csvDelimiter })}
      />
    )}
    <Select
      class="text"
      label="Documents with a known id"
      value={job.isUpdate ? 'update' : 'replace'}
      options={[
        ['replace', 'replace the old ones'],
        ['update', 'add their fields to the old ones'],
      ]}
      onChange={(choice) => onChange({ ...job, isUpdate: choice === 'update' })}
    />
  </fieldset>
);

interface StartButtonsProps {
  readonly job: FileImport;
  readonly onStartOver: () => void;
}

function StartButtons({ job, onStartOver }: StartButtonsProps) {
  const { end } = rememberedImport(job);
  return (
    <div class="buttons">
      <button type="submit">{end === 0 ? 'Import' : `Resume after ${humanSize(end)}`}</button>
      {end > 0 && <Button text="Start over" class="quiet" onClick={onStartOver} />}
    </div>
  );
}

const FAILURES_SHOWN_MAX = 20;

const ResultNote = ({
  job,
  result: { documents, tasks, failures },
}: {
  readonly job: FileImport;
  readonly result: ImportResult;
}) => (
  <div role="status" class="import-result card">
    <p>
      {failures.length === 0 ? '✓ ' : ''}
      {counted(documents, 'document')} of {job.file.name} in {job.indexUid}, sent in{' '}
      {counted(tasks, 'part')}.{' '}
      <a href={`#/search/${encodeURIComponent(job.indexUid)}`}>Search the index</a>
    </p>
    {failures.length > 0 && (
      <ul class="failure">
        {failures.slice(0, FAILURES_SHOWN_MAX).map((failure) => (
          <li key={failure}>
            <WithCode text={failure} />
          </li>
        ))}
      </ul>
    )}
  </div>
);

interface DropZoneProps {
  readonly file: File | null;
  readonly onFile: (file: File | undefined) => void;
}

function DropZone({ file, onFile }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(event.type === 'dragover');
    if (event.type === 'drop') onFile(event.dataTransfer?.files[0]);
  };
  return (
    <label
      class={isOver ? 'card stack drop over' : 'card stack drop'}
      onDragOver={over}
      onDragLeave={over}
      onDrop={over}
    >
      {file === null
        ? 'Drop a file with documents here, or choose one: JSON, NDJSON, CSV, optionally gzipped, of any size'
        : 'Drop another file here, or choose one'}
      <input
        type="file"
        accept={TAKEN}
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
    </label>
  );
}
