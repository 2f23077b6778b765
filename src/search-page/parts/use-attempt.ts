/** Runs actions of the user one after the other and keeps the error of the last. */
import { useState } from 'preact/hooks';
import { ApiFailure } from '../api-client.ts';

export interface Attempted {
  /** Error of the last attempt, null if it succeeded. */
  readonly refused: ApiFailure | null;
  /** Resolves to true if the action succeeded. */
  readonly attempt: (act: () => Promise<unknown>) => Promise<boolean>;
}

export function useAttempt(): Attempted {
  const [refused, setRefused] = useState<ApiFailure | null>(null);
  const attempt = async (act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      setRefused(null);
      return true;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      setRefused(error);
      return false;
    }
  };
  return { refused, attempt };
}
