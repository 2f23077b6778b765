/** Progress of the first copy, stored so that an interrupted copy resumes. */
import { type StateEnvironment, StateFile } from '../state-file.ts';
import type { RowKey } from './change-source.ts';

interface IndexCopy {
  /** Key of the last row whose document is in the index; null = none. */
  readonly after: RowKey | null;
  /** True if the index had no documents before the copy. */
  readonly wasEmpty: boolean;
}

export interface CopyState {
  /** Position of the source: progress made at another position counts for nothing. */
  readonly positionId: string;
  /** Unfinished copies by index. */
  readonly copies: Readonly<Record<string, IndexCopy>>;
}

/** @param work identifies source, slot and server */
export const copyStateFile = (work: unknown, env: StateEnvironment): StateFile<CopyState> =>
  new StateFile<CopyState>(
    'syncs',
    work,
    ({ positionId, copies }) => typeof positionId === 'string' && typeof copies === 'object',
    env,
  );
