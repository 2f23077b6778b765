/** Says that requests take long. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { api } from '../api-client.ts';

const LONG_MS = 700;

export function Waiting() {
  const [isLong, setLong] = useState(false);
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    api.onPending = (count) => {
      if (count > 0) timer ??= setTimeout(() => setLong(true), LONG_MS);
      else {
        clearTimeout(timer);
        timer = undefined;
        setLong(false);
      }
    };
  }, []);
  return (
    <p class="waiting" role="status">
      {isLong && 'Waiting for the server …'}
    </p>
  );
}
