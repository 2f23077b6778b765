/** Previews of settings that show hidden attributes, and errors that show addresses of names. */
import type { Attack } from './attack.ts';

const PREVIEW = '/indexes/texts/settings/preview';
const FORBIDDEN = 403;

export const attack: Attack = {
  name: 'previews and errors',
  sends:
    'previews with a search under other displayed attributes, and an embedder at an internal name',
  short: true,
  actions: ['settings.update'],
  async run({ send, settle, masterKey }) {
    const broken: string[] = [];
    const done = (body: object, key?: string): Promise<string> =>
      settle({ method: 'PATCH', path: '/indexes/texts/settings', body, ...(key && { key }) });
    await done({ displayedAttributes: ['id'] }, masterKey);
    const body = { settings: { displayedAttributes: ['*'] }, search: { q: 'harbour' } };
    const refused = await send({ path: PREVIEW, body });
    if (refused.status !== FORBIDDEN)
      broken.push(`a preview with a search and without its action was answered ${refused.status}`);
    const draft = { actions: ['settings.update', 'search'], indexes: ['texts'], expiresAt: null };
    const { text } = await send({ path: '/keys', body: draft, key: masterKey });
    const { key } = JSON.parse(text) as { readonly key: string };
    const shown = await send({ path: PREVIEW, body, key });
    if (!shown.text.includes('"id"') || shown.text.includes('"text":'))
      broken.push(`a preview shows a hidden attribute: ${shown.text.slice(0, 200)}`);
    const embedder = { source: 'ollama', model: 'm', url: 'http://localhost:1/api/embed' };
    const task = await done({ embedders: { e: embedder } });
    if (!task.includes('no public address') || /127\.0\.0\.1|::1/.test(task))
      broken.push(`the task shows what a name resolves to: ${task}`);
    await done({ displayedAttributes: null }, masterKey);
    return broken;
  },
};
