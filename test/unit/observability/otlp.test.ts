/** The end of the export of traces and metrics where no collector answers. */
import { expect, it } from 'vitest';
import { startOtlp } from '../../../src/observability/otlp.ts';

it('ends although the collector is away', async () => {
  const otlp = await startOtlp({
    url: 'http://127.0.0.1:9',
    version: '0.0.0',
    role: 'front',
    metrics: () => [],
    log: { warn: () => undefined },
  });
  otlp.traces.begin('GET /version', '', {}).end({}, false);
  await expect(otlp.stop()).resolves.toBeUndefined();
});
