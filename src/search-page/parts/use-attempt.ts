/** Runs actions of the user and keeps the error of the last. */
import { useState } from 'preact/hooks';
import { ApiFailure } from '../api-client.ts';

export interface Attempted {
  /** Error of the last attempt, null if it succeeded. */
  readonly refused: ApiFailure | null;
  readonly attempt: (act: () => Promise<unknown>) => void;
}

/** @param onEnd is called after each attempt, also a refused one */
export function useAttempt(onEnd?: () => void): Attempted {
  const [refused, setRefused] = useState<ApiFailure | null>(null);
  const run = async (act: () => Promise<unknown>) => {
    try {
      await act();
      setRefused(null);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      setRefused(error);
    }
    onEnd?.();
  };
  return { refused, attempt: (act) => void run(act) };
}
