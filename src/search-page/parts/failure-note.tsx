/** Error message of a refused request, with a link from its code to the docs. */
import type { ApiFailure } from '../api-client.ts';

export const FailureNote = ({ failure }: { readonly failure: ApiFailure | null }) =>
  failure === null ? null : (
    <p class="failure" role="alert">
      {failure.message}{' '}
      {failure.status > 0 && <a href={`docs/errors#${failure.code}`}>{failure.code}</a>}
    </p>
  );
