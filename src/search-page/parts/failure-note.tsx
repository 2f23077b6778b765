/** What a request was refused for, with the code that the documents explain. */
import type { ApiFailure } from '../api-client.ts';

export const FailureNote = ({ failure }: { readonly failure: ApiFailure | null }) =>
  failure === null ? null : (
    <p class="failure" role="alert">
      {failure.message}{' '}
      {failure.status > 0 && <a href={`docs/errors#${failure.code}`}>{failure.code}</a>}
    </p>
  );
