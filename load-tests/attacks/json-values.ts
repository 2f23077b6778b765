/** JSON bodies of as many values as fit. */
import type { Attack } from './attack.ts';

const PATH = '/indexes/texts/search';
const HEALTH_MS_MAX = 200;
/** Filled, since a body that is joined would keep the bystander of this process waiting. */
const list = (item: string, count: number): Buffer => {
  const items = Buffer.alloc((item.length + 1) * count, `${item},`);
  return Buffer.concat([Buffer.from('{"vector":['), items.subarray(0, -1), Buffer.from(']}')]);
};
const members = (count: number): Buffer =>
  Buffer.from(`{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`);
const strings = (count: number): Buffer =>
  Buffer.from(`[${Array.from({ length: count }, (_, i) => `"-${i}"`).join(',')}]`);

export const attack: Attack = {
  name: 'many JSON values',
  sends: 'bodies of ten million numbers, millions of strings, objects, arrays and members',
  short: true,
  async run({ send, isShort }) {
    const broken: string[] = [];
    const share = isShort ? 10 : 1;
    const bodies = [
      list('1', 10_000_000 / share),
      list('1', 5_000_000 / share),
      list('{}', 3_000_000 / share),
      list('[]', 3_000_000 / share),
      list('{"a":1}', 1_200_000 / share),
      members(800_000 / share),
      members(119_000 / share),
      list('"a"', 2_500_000 / share),
      strings(300_000 / share),
      list('1', 1_000_000 / share),
    ];
    for (let round = 0; round < (isShort ? 1 : 20); round++)
      for (const body of bodies) {
        const sent = send({ path: PATH, body });
        const { ms } = await send({ path: '/health' });
        if (!isShort && ms > HEALTH_MS_MAX)
          broken.push(`GET /health took ${Math.round(ms)} ms during ${body.subarray(0, 30)}`);
        const { status } = await sent;
        if (status !== 400 && status !== 413)
          broken.push(`${body.subarray(0, 30)} was answered ${status}`);
      }
    return broken;
  },
};
