/** Error message of a refused request, with a link from its code to the docs. */
import type { TaskRecord } from '../../model/task.ts';
import type { ApiFailure } from '../api-client.ts';

/** Why a task failed; screen readers do not announce it. */
export const TaskError = ({ error }: Pick<TaskRecord, 'error'>) =>
  error === null ? null : (
    <p class="failure">
      {error.message} <a href={`docs/errors#${error.code}`}>{error.code}</a>
    </p>
  );

export const FailureNote = ({ failure }: { readonly failure: ApiFailure | null }) =>
  failure === null ? null : (
    <p class="failure" role="alert">
      {failure.message}{' '}
      {failure.status > 0 && <a href={`docs/errors#${failure.code}`}>{failure.code}</a>}
    </p>
  );
