/** Requests about search analytics that are refused. */
import { get, post, type RouteErrorCase } from './refused-request.ts';

const CLICK = { eventType: 'click', eventName: 'Clicked', indexUid: 'films', userId: 'ann' };
const LISTED = { eventType: 'click', eventName: 'Clicked', index: 'films', userToken: 'ann' };
const LONG = 'x'.repeat(257);

const off = (refused: RouteErrorCase): RouteErrorCase => ({ ...refused, isGuarded: true });

const badEvents: readonly object[] = [
  {},
  { ...CLICK, eventType: 'buy' },
  { ...CLICK, eventType: undefined },
  { ...CLICK, eventName: '' },
  { ...CLICK, eventName: LONG },
  { ...CLICK, eventName: undefined },
  { ...CLICK, userId: 1 },
  { ...CLICK, queryUid: {} },
  { ...CLICK, objectId: [] },
  { ...CLICK, position: -1 },
  { ...CLICK, position: 1.5 },
  { ...CLICK, foo: 1 },
  { events: [] },
  { events: {} },
  { events: [LISTED, { ...LISTED, eventType: 'buy' }] },
  { events: [{ ...LISTED, eventName: undefined }] },
  { events: [{ ...LISTED, objectIDs: Array.from({ length: 21 }, String) }] },
  { events: [{ ...LISTED, positions: [0] }] },
  { events: [{ ...LISTED, timestamp: '2026' }] },
  { events: [{ ...LISTED, foo: 1 }] },
  { events: Array.from({ length: 1001 }, () => LISTED) },
];

const badParameters = [
  'from=yesterday',
  'from=2026-02-30',
  'to=2026',
  'from=2026-11-02&to=2026-11-01',
  'limit=-1',
  'offset=x',
  'foo=1',
];

export const analyticsErrors: readonly RouteErrorCase[] = [
  ...badEvents.map((event) => post('events.add', '/events', event, 'invalid_event')),
  post('events.add', '/events', { ...CLICK, indexUid: undefined }, 'missing_index_uid'),
  post('events.add', '/events', { events: [{ ...LISTED, index: undefined }] }, 'missing_index_uid'),
  post('events.add', '/events', { ...CLICK, indexUid: 'a b' }, 'invalid_index_uid'),
  post('events.add', '/events', { ...CLICK, indexUid: 'absent' }, 'index_not_found'),
  off(post('events.add', '/events', CLICK, 'feature_not_enabled')),
  off(
    post(
      'indexes.compare',
      '/indexes/films/compare',
      { candidate: 'films' },
      'feature_not_enabled',
    ),
  ),
  ...['queries', 'counts'].flatMap((name) => [
    off(get(`analytics.${name}`, `/analytics/${name}`, 'feature_not_enabled')),
    get(`analytics.${name}`, `/analytics/${name}?indexUid=a%20b`, 'invalid_index_uid'),
    ...badParameters.map((text) =>
      get(`analytics.${name}`, `/analytics/${name}?${text}`, 'invalid_analytics_parameter'),
    ),
  ]),
  ...['kind=worst', 'byFilter=maybe'].map((text) =>
    get('analytics.queries', `/analytics/queries?${text}`, 'invalid_analytics_parameter'),
  ),
  get('analytics.counts', '/analytics/counts?by=query', 'invalid_analytics_parameter'),
];
