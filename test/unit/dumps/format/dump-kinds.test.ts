/** Tasks as dumps hold them: what a waiting task asks for is read back as it was written. */
import { describe, expect, it } from 'vitest';
import { DumpRefused } from '../../../../src/dumps/format/dump.ts';
import { dumpedKinds } from '../../../../src/dumps/format/dump-kinds.ts';
import { readTaskLine, taskLine } from '../../../../src/dumps/format/dump-tasks.ts';
import { finishedKind } from '../../../../src/dumps/format/finished-kinds.ts';
import { indexFolder } from '../../../../src/dumps/format/v6-layout.ts';
import type { TaskRecord } from '../../../../src/model/task.ts';

const record: TaskRecord = {
  uid: 7,
  batchUid: null,
  indexUid: null,
  status: 'enqueued',
  type: 'export',
  canceledBy: null,
  error: null,
  duration: null,
  startedAt: null,
  finishedAt: null,
  details: { url: 'http://other:7700', apiKey: 'k3…', payloadSize: '12345', indexes: {} },
  enqueuedAt: '2024-05-06T07:08:09.000000Z',
  customMetadata: 'mine',
};
const request = {
  url: 'http://other:7700',
  apiKey: 'k3y',
  payloadBytesMax: 12_345,
  indexes: {
    'films*': { filter: ['id > 1', 'id < 9'], overrideSettings: true },
    books: { filter: null, overrideSettings: false },
  },
};
const workOf = (line: string) => readTaskLine(line, () => null).work;

describe('an export that waits', () => {
  it('is written with names in snake case, and read back whole', () => {
    const { payloadBytesMax: payloadSize, ...asked } = request;
    const line = taskLine(record, dumpedKinds.export({ ...asked, payloadSize }));
    expect(JSON.parse(line).type).toEqual({
      export: {
        url: request.url,
        api_key: 'k3y',
        payload_size: 12_345,
        indexes: {
          'films*': {
            filter: ['id > 1', 'id < 9'],
            override_settings: true,
            overrideSettings: true,
          },
          books: { filter: null, override_settings: false, overrideSettings: false },
        },
      },
    });
    expect(workOf(line)).toEqual({
      draft: { type: 'export', request, payloadSize: '12345', customMetadata: 'mine' },
      documents: null,
      matched: [],
    });
  });

  it('takes requests of 20 MiB and all indexes where a dump does not say', () => {
    const kind = { export: { url: 'http://other:7700', api_key: null, payload_size: null } };
    expect(workOf(taskLine({ ...record, details: {} }, kind))?.draft).toMatchObject({
      request: {
        apiKey: null,
        payloadBytesMax: 20 * 1024 ** 2,
        indexes: { '*': { filter: null, overrideSettings: false } },
      },
      payloadSize: null,
    });
  });
});

describe('a task that has finished', () => {
  const dump = { keys: [], instanceUid: null };

  it('tells what was exported as far as its details do', () => {
    const indexes = { books: { filter: null, overrideSettings: true, matchedDocuments: 4 } };
    const finished = { ...record, details: { ...record.details, indexes } };
    expect(finishedKind(finished, dump)).toEqual({
      export: {
        url: 'http://other:7700',
        api_key: 'k3…',
        payload_size: '12345',
        indexes: { books: { filter: null, override_settings: true, overrideSettings: true } },
      },
    });
  });

  it('tells nothing of resets of settings that other servers do not know', () => {
    const details = { stopWords: null, inflections: null, matchingStrategy: 'any' };
    const finished: TaskRecord = { ...record, type: 'settingsUpdate', details };
    const told = { stopWords: null, matchingStrategy: 'any' };
    expect(finishedKind(finished, dump)).toMatchObject({ settings: { settings: told } });
    expect(JSON.parse(taskLine(finished, 'x')).details).toEqual({
      SettingsUpdate: { settings: told },
    });
  });
});

describe('the folder of an index', () => {
  it('is its uid, unless that is too long for a file system', () => {
    expect(indexFolder('films', 3)).toBe('films');
    const [a, b] = [3, 4].map((id) => indexFolder('x'.repeat(400), id));
    expect(a?.length).toBeLessThan(255);
    expect(a).not.toBe(b);
  });
});

describe('a task with a damaged kind', () => {
  const lineOf = (type: object) =>
    JSON.stringify({
      uid: 7,
      indexUid: 'films',
      status: 'enqueued',
      type,
      enqueuedAt: record.enqueuedAt,
    });

  it.each([
    ['`swaps` of task 7 of the dump is no list', { indexSwap: { swaps: null } }],
    ['`indexes` of task 7 of the dump is no list', { indexSwap: { swaps: [{}] } }],
    ['task 7 of the dump swaps no two indexes', { indexSwap: { swaps: [{ indexes: ['a'] }] } }],
    [
      '`documents_ids` of task 7 of the dump is no list',
      { documentDeletion: { documents_ids: 1 } },
    ],
    [
      '`tasks` of task 7 of the dump is no set of uids',
      { taskCancelation: { query: '', tasks: [1, 2, 3] } },
    ],
  ])('is refused: %s', (message, kind) => {
    const read = () => workOf(lineOf(kind));
    expect(read).toThrow(DumpRefused);
    expect(read).toThrow(message);
  });
});
