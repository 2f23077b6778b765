/** Log lines of slow searches and other slow index reads. */
import type { Requester } from '../../core/caller.ts';
import type { QueryReply, QueryWork } from '../../ipc/queries/query-protocol.ts';
import type { ApiContext } from '../contract/context.ts';

/** Longer words and filters are truncated in the log. */
const TEXT_MAX = 200;

interface Ended {
  readonly indexUid: string;
  readonly work: QueryWork;
  readonly reply: Extract<QueryReply, { ok: true }>;
  readonly caller: Requester;
  /** Milliseconds from request to reply. */
  readonly milliseconds: number;
}

export function logIfSlow({ logger, config }: ApiContext, ended: Ended): void {
  const { indexUid, work, reply, caller, milliseconds } = ended;
  if (config.slowSearchMs === 0 || milliseconds < config.slowSearchMs) return;
  const { workMs = milliseconds, steps } = reply;
  logger.for('search').warn(
    {
      request: caller.requestUid,
      key: caller.keyUid,
      index: indexUid,
      kind: work.kind,
      ...asked(work),
      ms: rounded(milliseconds),
      waitMs: rounded(milliseconds - workMs),
      ...(steps && { steps: roundedSteps(steps) }),
    },
    'slow search',
  );
}

function asked(work: QueryWork): Record<string, string> {
  if (work.kind === 'federated')
    return { q: shortened(work.search.queries.map(({ request }) => request.q ?? '').join(' | ')) };
  if (work.kind !== 'search') return {};
  const { q, filter } = work.request;
  return {
    ...(q !== null && { q: shortened(q) }),
    ...(filter !== null && { filter: shortened(JSON.stringify(filter.form)) }),
  };
}

const shortened = (text: string): string => text.slice(0, TEXT_MAX);

const rounded = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;

const roundedSteps = (steps: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(steps).map(([step, ms]) => [step, rounded(ms)]));
