/** Routes of the log: stream and log level. */
import { ApiError } from '../../core/errors.ts';
import { requireLevels } from '../../ipc/connection/log-tap.ts';
import { NoQuery } from '../../model/schemas/index-schema.ts';
import { LogLevelsBody, LogStreamBody } from '../../model/schemas/logs-schema.ts';
import type { LogForm } from '../contract/log-stream.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { defineRoute, type Route } from '../contract/route.ts';

const DEFAULT_TARGET = 'info';

function formOf({ mode = 'human', profileMemory = false }: LogStreamBody): LogForm {
  if (profileMemory && mode !== 'profile')
    throw new ApiError('bad_request', '`profileMemory` needs the `mode` `profile`.');
  if (mode !== 'profile') return mode;
  throw new ApiError(
    'bad_request',
    'The `mode` `profile` is not supported. Use `human` or `json`; `GET /metrics` has the times of requests.',
  );
}

const streamLogs = defineRoute({
  id: 'logs.stream',
  method: 'POST',
  path: '/logs/stream',
  action: 'metrics.get',
  summary: 'Stream the log',
  query: NoQuery,
  body: LogStreamBody,
  errors: ['feature_not_enabled'],
  handler: async ({ features, indexer, logs }, { body }) => {
    requireFeature(features, 'logsRoute');
    const form = formOf(body);
    const { target = DEFAULT_TARGET } = body;
    const levels = requireLevels(target);
    await indexer.request('openLogStream', { levels: target });
    const onEnd = () => void indexer.request('closeLogStream', {}).catch(() => undefined);
    return {
      status: 200,
      contentType: form === 'json' ? 'application/x-ndjson' : 'text/plain; charset=utf-8',
      stream: (signal) => logs.open(levels, form, signal, onEnd),
    };
  },
});

const endStream = defineRoute({
  id: 'logs.endStream',
  method: 'DELETE',
  path: '/logs/stream',
  action: 'metrics.get',
  summary: 'Stop the log stream',
  query: NoQuery,
  errors: ['feature_not_enabled'],
  handler: async ({ features, indexer }) => {
    requireFeature(features, 'logsRoute');
    await indexer.request('closeLogStream', {});
    return { status: 204 };
  },
});

const setLevels = defineRoute({
  id: 'logs.stderr',
  method: 'POST',
  path: '/logs/stderr',
  action: 'metrics.get',
  summary: 'Change the log level until the next start',
  query: NoQuery,
  body: LogLevelsBody,
  errors: ['feature_not_enabled'],
  handler: async ({ features, indexer }, { body: { target = DEFAULT_TARGET } }) => {
    requireFeature(features, 'logsRoute');
    requireLevels(target);
    await indexer.request('setLogLevels', { levels: target });
    return { status: 204 };
  },
});

export const logRoutes: readonly Route[] = [streamLogs, endStream, setLevels];
