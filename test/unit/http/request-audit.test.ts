/** Which requests the audit log gets, and what of them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { routes } from '../../../src/api/routes/index.ts';
import { TooManyWrongKeys } from '../../../src/auth/auth-rate-limiter.ts';
import { KeyRing } from '../../../src/auth/key-ring.ts';
import { ApiError, TooManyRequests } from '../../../src/core/errors.ts';
import { RequestAudit, type RequestEnd } from '../../../src/http/request-audit.ts';
import type { AuditLine, AuditLog } from '../../../src/observability/audit-log.ts';
import { apiKey } from '../../support/api-keys.ts';

let lines: (AuditLine & { readonly isRefused: boolean })[];
const log = {
  changed: (line) => lines.push({ ...line, isRefused: false }),
  refused: (line) => lines.push({ ...line, isRefused: true }),
} as Pick<AuditLog, 'changed' | 'refused'> as AuditLog;
beforeEach(() => {
  lines = [];
});

const keys = new KeyRing('a master key');
const key = apiKey({ name: 'shop' });
keys.publish(key);

function end(
  routeId: string,
  ended: RequestEnd,
  { params = {}, keyUid = null as string | null, masterKey = 'a master key' as string | null } = {},
): (typeof lines)[number] | undefined {
  const route = routes.find(({ id }) => id === routeId);
  if (route === undefined) throw new Error(`no route ${routeId}`);
  const audit = new RequestAudit(log, {
    keys,
    config: { masterKey } as never,
    clock: { now: () => Date.parse('2026-11-27T03:00:00Z'), monotonic: () => 0 },
  });
  const request = { requestUid: 'r', keyUid, address: () => '192.0.2.1' };
  const status = ended === null ? null : 'status' in ended ? ended.status : 500;
  audit.begin(route, params, request)(status, ended);
  return lines[0];
}

const enqueued = { status: 202, json: { taskUid: 7, indexUid: 'films', status: 'enqueued' } };
const invalid = new ApiError('invalid_api_key', 'secret in the message');

describe('a change', () => {
  it('is recorded with who, where, what and its task', () => {
    const params = { indexUid: 'films', documentId: '12' };
    expect(end('documents.deleteOne', enqueued, { params, keyUid: key.uid })).toEqual({
      time: '2026-11-27T03:00:00.000Z',
      request: 'r',
      who: `key:${key.uid}`,
      name: 'shop',
      address: '192.0.2.1',
      method: 'DELETE',
      route: '/indexes/:indexUid/documents/:documentId',
      index: 'films',
      target: '12',
      task: 7,
      status: 202,
      isRefused: false,
    });
  });

  it('takes index and task from the answer, also of another node', () => {
    expect(end('indexes.create', enqueued)).toMatchObject({ index: 'films', task: 7 });
    lines = [];
    const bytes = Buffer.from(JSON.stringify(enqueued.json));
    expect(end('indexes.create', { status: 202, bytes })).toMatchObject({ task: 7 });
  });

  it('names keys by their uid, never by their value', () => {
    const value = keys.valueOf(key.uid);
    expect(end('keys.delete', { status: 204 }, { params: { uidOrKey: value } })).toMatchObject({
      target: key.uid,
    });
    lines = [];
    end('keys.delete', { status: 204 }, { params: { uidOrKey: 'deleted or wrong' } });
    expect(lines[0]).not.toHaveProperty('target');
    lines = [];
    end('keys.create', { status: 201, json: { uid: 'u', key: value } });
    expect(lines[0]?.target).toBe('u');
    expect(JSON.stringify(lines)).not.toContain(value);
  });

  it.each([
    [{ masterKey: null }, 'anyone'],
    [{}, 'master'],
    [{ keyUid: 'oidc:ann' }, 'oidc:ann'],
  ])('by %j is by %s', (options, who) => {
    expect(end('dumps.create', enqueued, options)?.who).toBe(who);
  });

  it('that failed has its code, a bug has none; one without an answer has no status', () => {
    const failed = new ApiError('index_already_exists', 'x');
    expect(end('indexes.create', failed)).toMatchObject({
      status: 409,
      error: 'index_already_exists',
      isRefused: false,
    });
    lines = [];
    expect(end('indexes.create', new Error('bug'))).toMatchObject({ status: 500 });
    expect(lines[0]).not.toHaveProperty('error');
    lines = [];
    expect(end('indexes.create', null)).toMatchObject({ status: null });
  });

  it('has bounded texts', () => {
    const params = { indexUid: 'x'.repeat(9000), documentId: 'y'.repeat(9000) };
    expect(JSON.stringify(end('documents.deleteOne', invalid, { params })).length).toBeLessThan(
      1600,
    );
  });
});

describe('a refused authorization', () => {
  it.each(['search.post', 'tasks.list', 'documents.deleteAll', 'version'])(
    'of %s is recorded',
    (id) => {
      expect(end(id, invalid)).toMatchObject({
        who: null,
        status: 403,
        error: 'invalid_api_key',
        isRefused: true,
      });
      expect(JSON.stringify(lines)).not.toContain('secret');
    },
  );

  it('names the key that is not sufficient', () => {
    expect(end('search.post', invalid, { keyUid: key.uid })?.who).toBe(`key:${key.uid}`);
  });

  it('includes too many invalid keys, but not too many requests', () => {
    end('search.post', new TooManyRequests(1, 'x'));
    expect(lines).toEqual([]);
    expect(end('search.post', new TooManyWrongKeys(1))).toMatchObject({ isRefused: true });
  });
});

it('no reads, searches, chats, previews or events are recorded', () => {
  const ids = [
    ...['search.post', 'search.get', 'multiSearch.post', 'facetSearch.post', 'similar.post'],
    ...['documents.fetch', 'documents.list', 'settings.preview', 'events.add', 'chats.complete'],
    ...['webhooks.deliveries', 'tasks.list', 'fields.post', 'mcp.post'],
  ];
  for (const id of ids) end(id, { status: 200, json: {} });
  expect(lines).toEqual([]);
});
