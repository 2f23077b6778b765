/** What a person asks a server to do: one attempt after the other, and what the last was refused for. */
import { useState } from 'preact/hooks';
import { ApiFailure } from '../api-client.ts';

export interface Attempted {
  /** Of the last attempt, null when it succeeded. */
  readonly refused: ApiFailure | null;
  /** Whether it succeeded. */
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
