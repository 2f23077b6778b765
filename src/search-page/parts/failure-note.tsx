/** Error message of a refused request, with a link from its code to the docs. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { TaskRecord } from '../../model/task.ts';
import type { ApiFailure } from '../api-client.ts';

/** Why a task failed; screen readers do not announce it. */
export const TaskError = ({ error }: Pick<TaskRecord, 'error'>) =>
  error === null ? null : (
    <p class="failure">
      <WithCode text={error.message} /> <a href={`docs/errors#${error.code}`}>{error.code}</a>
    </p>
  );

/** The text with its parts between backticks as code. */
export const WithCode = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
);

const textOf = ({ code, message }: ApiFailure): string =>
  code === 'missing_authorization_header'
    ? 'This server needs an API key. Enter one under API key, at the top of the page.'
    : message;

/** The failure that the page shows above its view, which the view does not repeat. */
export const FailureAbove = createContext<ApiFailure | null>(null);

export function FailureNote({ failure }: { readonly failure: ApiFailure | null }) {
  const above = useContext(FailureAbove);
  if (failure === null || failure.message === above?.message) return null;
  return (
    <p class="failure" role="alert">
      <WithCode text={textOf(failure)} />{' '}
      {failure.status > 0 && <a href={`docs/errors#${failure.code}`}>{failure.code}</a>}
    </p>
  );
}
