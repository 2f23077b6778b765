/** Downloads of backups by names that lead elsewhere, and by keys that may not. */
import type { Attack } from './attack.ts';

const SECRET = 'root:';
const NAMES = [
  ...['../../../../etc/passwd', '..%2F..%2F..%2Fetc%2Fpasswd', '%2e%2e%2fetc%2fpasswd'],
  ...[
    '..%2Fx.dump',
    '..%5Cx.dump',
    '%2Fetc%2Fpasswd',
    '%00.dump',
    'a.dump%00',
    '.dump',
    '%2E.dump',
  ],
  ...['x.dump%2F..%2F..%2FVERSION', `${'a'.repeat(5000)}.dump`, 'VERSION', '%FF.dump', 'a.dump/b'],
];

export const attack: Attack = {
  name: 'backup names',
  sends:
    'downloads of backups by 15 names that lead out of their folders, and by a key that reads all',
  short: true,
  actions: ['*.get'],
  async run({ send, masterKey }) {
    const broken: string[] = [];
    for (const name of NAMES) {
      const { status, text } = await send({ path: `/backups/${name}`, key: masterKey });
      if (![400, 404].includes(status) || text.includes(SECRET))
        broken.push(`/backups/${name.slice(0, 60)} answers ${status}: ${text.slice(0, 100)}`);
    }
    for (const path of ['/backups', '/backups/a.dump'])
      for (const given of [{}, { key: null }]) {
        const { status, code } = await send({ path, ...given });
        if (![401, 403].includes(status))
          broken.push(`${path} answers ${status} ${code} to others`);
      }
    return broken;
  },
};
