/** A view's requests: what came of the newest one, and requests that are repeated. */
import { type Inputs, useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure } from '../api-client.ts';

export interface Requested<Answer> {
  /** Of the newest request that succeeded, null before. */
  readonly answer: Answer | null;
  /** Of the newest request, null when it succeeded. */
  readonly failure: ApiFailure | null;
  readonly isWaiting: boolean;
  /** Asks again. */
  readonly refresh: () => void;
}

/**
 * Asks anew whenever an input changes, and gives up what was asked before. While it waits, the
 * answer before it stays.
 * @param ask null = nothing is asked
 * @param everyMs asks again so long after each answer while the page is seen
 */
export function useRequest<Answer>(
  ask: ((signal: AbortSignal) => Promise<Answer>) | null,
  inputs: Inputs,
  everyMs?: number,
): Requested<Answer> {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [failure, setFailure] = useState<ApiFailure | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const [round, setRound] = useState(0);
  const newest = useRef(ask);
  newest.current = ask;
  const refresh = useCallback(() => setRound((number) => number + 1), []);
  useEffect(() => {
    const { current } = newest;
    if (current === null) return undefined;
    const giveUp = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    setWaiting(true);
    current(giveUp.signal)
      .then(
        (value) => {
          if (giveUp.signal.aborted) return;
          setAnswer(value);
          setFailure(null);
        },
        (error: unknown) => {
          if (giveUp.signal.aborted) return;
          if (!(error instanceof ApiFailure)) throw error;
          setFailure(error);
        },
      )
      .finally(() => {
        if (giveUp.signal.aborted) return;
        setWaiting(false);
        if (everyMs !== undefined) again = whenSeen(refresh, everyMs, giveUp.signal);
      });
    return () => {
      giveUp.abort();
      clearTimeout(again);
    };
  }, [...inputs, round, everyMs]);
  return { answer, failure, isWaiting, refresh };
}

/** Timers of a hidden tab ask nothing; they wait for it to be seen. */
const whenSeen = (
  action: () => void,
  everyMs: number,
  signal: AbortSignal,
): ReturnType<typeof setTimeout> =>
  setTimeout(() => {
    if (document.visibilityState === 'visible') return action();
    document.addEventListener('visibilitychange', action, { once: true, signal });
  }, everyMs);
