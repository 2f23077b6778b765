/** Small bodies that decompress to a gigabyte. */
import { gzipSync } from 'node:zlib';
import type { Attack } from './attack.ts';
import { MEBIBYTE } from './parts/run-attack.ts';

const LANES = 4;
const PAYLOAD_TOO_LARGE = 413;

export const attack: Attack = {
  name: 'compression bombs',
  sends: 'bodies of 1 MB that are 1 GB when decompressed, four at once',
  short: false,
  serverOptions: ['--http-payload-size-limit', '100MiB'],
  async run({ send, masterKey, isShort }) {
    const body = gzipSync(Buffer.alloc((isShort ? 200 : 1024) * MEBIBYTE, ' '), { level: 9 });
    const statuses = new Set<number>();
    const lane = async (): Promise<void> => {
      for (let i = 0; i < (isShort ? 1 : 10); i++) {
        for (const path of ['/indexes/texts/documents', '/indexes/texts/search']) {
          const headers = { 'content-encoding': 'gzip' };
          statuses.add((await send({ path, body, headers, key: masterKey })).status);
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    statuses.delete(PAYLOAD_TOO_LARGE);
    return [...statuses].map((status) => `a bomb was answered ${status}, not 413`);
  },
};
