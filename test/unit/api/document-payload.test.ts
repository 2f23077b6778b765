/** Small payloads stay in memory, larger ones go to a spool file; nothing is lost on the way. */
import { describe, expect, it } from 'vitest';
import { SpooledBytes } from '../../../src/api/spooled-bytes.ts';
import { limits } from '../../../src/core/limits.ts';
import { createFakeApiContext } from '../../support/fake-api-context.ts';

const options = { format: 'ndjson', csvDelimiter: ',' } as const;

function payloadOf(chunks: readonly string[]) {
  const context = createFakeApiContext();
  const payload = new SpooledBytes(context.payloads);
  const reused = Buffer.alloc(200_000);
  for (const chunk of chunks) payload.write(reused.subarray(0, reused.write(chunk)));
  return { context, payload };
}

describe('SpooledBytes', () => {
  it('keeps up to 64 KB in memory, whatever the caller does with its chunks', async () => {
    const chunks = ['1\n', '2\n', '3'.repeat(limits.inlinePayloadBytesMax - 4)];
    const { context, payload } = payloadOf(chunks);
    expect(payload.bytes).toBe(limits.inlinePayloadBytesMax);
    expect((await payload.finish(options)).payload).toEqual({
      kind: 'inline',
      base64: Buffer.from(chunks.join('')).toString('base64'),
    });
    expect(context.inlinePayloads).toEqual([{ text: chunks.join(''), options }]);
    expect(context.spools).toEqual([]);
  });

  it('moves to a file with the first byte more, the bytes in order', async () => {
    const chunks = ['1\n', '2\n', '3'.repeat(limits.inlinePayloadBytesMax - 3), '\n4'];
    const { context, payload } = payloadOf(chunks);
    const checked = await payload.finish(options);
    expect(checked).toMatchObject({
      payload: { kind: 'file', bytes: limits.inlinePayloadBytesMax + 3 },
      documentCount: 4,
    });
    expect(Buffer.concat(context.spools[0]?.chunks ?? []).toString()).toBe(chunks.join(''));
    expect(context.spools[0]?.state).toBe('finished');
  });

  it('removes the file when it is discarded, and has none to remove when it was small', () => {
    const large = payloadOf(['x'.repeat(100_000)]);
    large.payload.abort();
    expect(large.context.spools[0]?.state).toBe('aborted');
    const small = payloadOf(['x']);
    small.payload.abort();
    expect(small.context.spools).toEqual([]);
  });
});
