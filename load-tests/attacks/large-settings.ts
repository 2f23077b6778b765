/** Settings beyond their documented sizes. */
import type { Attack } from './attack.ts';

const texts = (count: number, end = ''): string[] =>
  Array.from({ length: count }, (_, i) => `t${i}${end}`);

export const attack: Attack = {
  name: 'large settings',
  sends: 'lists of words, synonyms, separators, attributes and patterns beyond their limits',
  short: false,
  actions: ['search', 'settings.update'],
  async run({ send }) {
    const bodies: readonly (readonly [string, unknown])[] = [
      ['stop-words', texts(100_001)],
      ['dictionary', texts(100_001)],
      ['separator-tokens', texts(10_001)],
      ['synonyms', Object.fromEntries(texts(50_001).map((key) => [key, ['a']]))],
      ['synonyms', { a: texts(200_001) }],
      ['displayed-attributes', texts(5001)],
      ['searchable-attributes', texts(1001, '*')],
      ['stop-words', ['x'.repeat(1_000_000)]],
    ];
    const broken: string[] = [];
    for (const [name, body] of bodies) {
      const path = `/indexes/texts/settings/${name}`;
      const { status, code, text } = await send({ method: 'PUT', path, body });
      if (status !== 400 || !code.startsWith('invalid_settings_') || !text.includes('the limit is'))
        broken.push(`${name} beyond its limit was answered ${status} ${code}`);
    }
    return broken;
  },
};
