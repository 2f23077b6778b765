/** A view's requests: answer and error of the newest one; with polling while the server is gone, or always. */
import { type Inputs, useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure, AWAY_EVERY_MS, api } from '../api-client.ts';

export interface Requested<Answer> {
  /** Answer of the newest successful request, null before. */
  readonly answer: Answer | null;
  /** Error of the newest request, null if it succeeded. */
  readonly failure: ApiFailure | null;
  readonly isWaiting: boolean;
  readonly refresh: () => void;
}

/**
 * Sends a request whenever an input changes, and aborts the previous one. Keeps the previous answer
 * until the next one arrives. Repeats a request whose failure is temporary.
 * @param ask null = no request
 * @param everyMs pause after each answer before the request repeats, while the page is visible
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
    let pauseMs = everyMs;
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
          if (error.isTemporary) pauseMs ??= AWAY_EVERY_MS;
        },
      )
      .finally(() => {
        if (giveUp.signal.aborted) return;
        setWaiting(false);
        if (pauseMs !== undefined) again = whenSeen(refresh, pauseMs, giveUp.signal);
      });
    return () => {
      giveUp.abort();
      clearTimeout(again);
    };
  }, [...inputs, round, everyMs]);
  return { answer, failure, isWaiting, refresh };
}

/** The answer of a path, `useRequest` without a body. @param path null = no request */
export const useGet = <Answer>(path: string | null, everyMs?: number): Requested<Answer> =>
  useRequest<Answer>(
    path === null ? null : (signal) => api.request('GET', path, { signal }),
    [path, api.key],
    everyMs,
  );

/** The answer to a body that is posted as JSON, again whenever it changes. @param path null = no request */
export const usePost = <Answer>(path: string | null, body: unknown): Requested<Answer> =>
  useRequest<Answer>(
    path === null ? null : (signal) => api.request('POST', path, { body, signal }),
    [path, api.key, JSON.stringify(body)],
  );

/** Timers of a hidden tab send no request; they wait until the tab is visible. */
const whenSeen = (
  action: () => void,
  everyMs: number,
  signal: AbortSignal,
): ReturnType<typeof setTimeout> =>
  setTimeout(() => {
    if (document.visibilityState === 'visible') return action();
    document.addEventListener('visibilitychange', action, { once: true, signal });
  }, everyMs);
