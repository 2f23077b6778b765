/** Command line of a measurement with several cases: `[--only NAME,…] [--documents N] [--rounds N]`. */
import { parseArgs } from 'node:util';

export interface CaseOptions {
  readonly documentCount: number;
  readonly rounds: number;
  readonly isWanted: (name: string) => boolean;
}

export function caseOptions(roundsDefault: number): CaseOptions {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      documents: { type: 'string', default: '100000' },
      rounds: { type: 'string', default: String(roundsDefault) },
    },
  });
  const only = values.only?.split(',');
  return {
    documentCount: Number(values.documents),
    rounds: Number(values.rounds),
    isWanted: (name) => only?.includes(name) ?? true,
  };
}
