/**
 * Goal: answers are those that a public reference server gave. Method: the frozen sample of its
 * recorded answers, every kind of request, replayed over HTTP; each difference stands in a table
 * with its reason.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  differenceFrom,
  differenceOf,
  forIndex,
  type RecordedRequest,
  recordedAnswers,
  sent,
  type TaskOutcome,
  writesOf,
} from '../support/recorded-answers.ts';
import { MASTER_KEY, type SharedServer, sharedServer } from '../support/shared-server.ts';
import { until } from '../support/until.ts';

/** Differences on purpose: `<case>/<number of the request>` and why, as docs/adr/0006 decides. */
const DEVIATIONS: Readonly<Record<string, string>> = {
  'r101-51/2': 'a greeting names its product',
  'r101-117/20': 'under proximity by attribute its pairs depend on which ways it walked before',
  'r101-137/6': 'documents whose sort value is null come last, it leaves them out',
  'k202-54/19': 'its index keeps a part of the stop words that it had before a settings change',
};

/** Every kind that clients ask. */
const KINDS = [
  'documents',
  'error',
  'facet',
  'facet-search',
  'federated',
  'filter',
  'format',
  'get-search',
  'hybrid',
  'language',
  'multi',
  'placeholder',
  'search',
  'similar',
  'sort',
];

const cases = recordedAnswers().cases.map((recorded) => forIndex(recorded.name, recorded));
let server: SharedServer;

beforeAll(async () => {
  server = await sharedServer();
});

const ask = (request: RecordedRequest) => {
  const { path, options } = sent(MASTER_KEY, request);
  return server.call(request.method, path, options);
};

async function outcomeOf(write: RecordedRequest): Promise<TaskOutcome> {
  const { json, text } = await ask(write);
  const { taskUid } = json as { taskUid?: number };
  if (taskUid === undefined) throw new Error(`${write.method} ${write.path}: ${text}`);
  return until(`end of task ${taskUid}`, async () => {
    const answer = await ask({ method: 'GET', path: `/tasks/${taskUid}` });
    const { status, type, error, details } = answer.json as Omit<TaskOutcome, 'code'> & {
      error: { code: string } | null;
    };
    const isOver = status !== 'enqueued' && status !== 'processing';
    return isOver ? { status, type, code: error?.code ?? null, details } : null;
  });
}

it('holds every kind of request', () => {
  const kinds = new Set(cases.flatMap(({ requests }) => requests.map(({ kind }) => kind)));
  expect([...kinds].sort()).toEqual(KINDS);
});

describe.each(cases)('recorded index $name', (recorded) => {
  const { name } = recorded;

  it('comes about by the recorded outcomes of writes', async () => {
    const index = { uid: name, primaryKey: 'id' };
    await outcomeOf({ method: 'POST', path: '/indexes', body: index });
    const outcomes: TaskOutcome[] = [];
    for (const write of writesOf(recorded)) outcomes.push(await outcomeOf(write));
    expect(differenceOf(recorded.outcomes, outcomes)).toBeNull();
  });

  it('answers as recorded, deviations on purpose apart', async () => {
    const differences: Record<string, string> = {};
    for (const [i, request] of recorded.requests.entries()) {
      const difference = differenceFrom(request, await ask(request));
      if (difference !== null) differences[`${name}/${i}`] = difference;
    }
    const expected = Object.keys(DEVIATIONS).filter((id) => id.startsWith(`${name}/`));
    expect(Object.keys(differences), JSON.stringify(differences, null, 1)).toEqual(expected);
  });
});
