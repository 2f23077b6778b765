/** Routes of the log: stream and log level. */
import { ApiError } from '../../core/errors.ts';
import { requireLevels } from '../../ipc/connection/log-tap.ts';
import { LogLevelsBody, LogStreamBody } from '../../model/schemas/instance-schema.ts';
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

export const logRoutes: readonly Route[] = [
  defineRoute({
    id: 'logs.stream',
    endpoint: 'POST /logs/stream',
    action: 'metrics.get',
    summary: 'Stream the log',
    body: LogStreamBody,
    errors: ['feature_not_enabled'],
    handler: async ({ features, indexer, logs }, { body }) => {
      const { target = DEFAULT_TARGET } = body;
      const levels = requireLevels(target);
      requireFeature(features, 'logsRoute');
      const form = formOf(body);
      await indexer.request('openLogStream', { levels: target });
      const onEnd = () => void indexer.request('closeLogStream', {}).catch(() => undefined);
      return {
        status: 200,
        contentType: form === 'json' ? 'application/x-ndjson' : 'text/plain; charset=utf-8',
        stream: (signal) => logs.open(levels, form, signal, onEnd),
      };
    },
  }),
  defineRoute({
    id: 'logs.endStream',
    endpoint: 'DELETE /logs/stream',
    action: 'metrics.get',
    summary: 'Stop the log stream',
    errors: ['feature_not_enabled'],
    handler: async ({ features, indexer }) => {
      requireFeature(features, 'logsRoute');
      await indexer.request('closeLogStream', {});
      return { status: 204 };
    },
  }),
  defineRoute({
    id: 'logs.stderr',
    endpoint: 'POST /logs/stderr',
    action: 'metrics.get',
    summary: 'Change the log level until the next start',
    body: LogLevelsBody,
    errors: ['feature_not_enabled'],
    handler: async ({ features, indexer }, { body: { target = DEFAULT_TARGET } }) => {
      requireLevels(target);
      requireFeature(features, 'logsRoute');
      await indexer.request('setLogLevels', { levels: target });
      return { status: 204 };
    },
  }),
];
