/** A key that may read keys and the network looks for values of stronger keys. */
import type { Attack } from './attack.ts';

const OF_A_REMOTE = 'remote-key-0123456789';

export const attack: Attack = {
  name: 'key values',
  sends: 'reads of keys and of the network with a key that allows no more than these reads',
  short: true,
  serverOptions: ['--mask-stronger-keys'],
  async run({ send, masterKey }) {
    const broken: string[] = [];
    const draft = { actions: ['keys.get', 'network.get'], indexes: ['*'], expiresAt: null };
    const made = await send({ path: '/keys', body: draft, key: masterKey });
    const { key } = JSON.parse(made.text) as { readonly key: string };
    const body = { network: true };
    await send({ method: 'PATCH', path: '/experimental-features', body, key: masterKey });
    const remotes = { far: { url: 'http://far.example', searchApiKey: OF_A_REMOTE } };
    const network = { method: 'PATCH', path: '/network', body: { remotes }, key: masterKey };
    const stored = await send(network);
    if (stored.status !== 200) broken.push(`the network was answered ${stored.status}`);
    const all = await send({ path: '/keys?limit=1000', key: masterKey });
    const { results } = JSON.parse(all.text) as {
      readonly results: readonly { readonly uid: string; readonly key: string }[];
    };
    const secrets = results.flatMap((each) => (each.key === key ? [] : [each.key]));
    if (secrets.length === 0) broken.push('the master key sees no other keys');
    const paths = ['/keys?limit=1000', ...results.map(({ uid }) => `/keys/${uid}`), '/network'];
    for (const path of paths) {
      const { status, text } = await send({ path, key });
      if (status !== 200) broken.push(`${path} was answered ${status}`);
      for (const secret of [...secrets, masterKey, OF_A_REMOTE])
        if (text.includes(secret)) broken.push(`${path} shows ${secret.slice(0, 4)}…`);
    }
    await send({ ...network, body: { remotes: { far: null } } });
    await send({
      method: 'PATCH',
      path: '/experimental-features',
      body: { network: false },
      key: masterKey,
    });
    return broken;
  },
};
