/** Templates of documents and fragments: output, failures, cost of hostile templates. */
import { describe, expect, it, vi } from 'vitest';
import {
  DocumentTemplate,
  isSearchableIn,
} from '../../../../src/embedding/templates/document-template.ts';
import { FragmentTemplate } from '../../../../src/embedding/templates/fragment-template.ts';
import { RenderLimit, TemplateError } from '../../../../src/embedding/templates/liquid-engine.ts';
import { DEFAULT_DOCUMENT_TEMPLATE } from '../../../../src/model/embedders/embedder-settings.ts';

const all = isSearchableIn(['*']);
const render = (template: string, document: Record<string, unknown>, bytesMax = 400): string =>
  DocumentTemplate.parse(template, bytesMax).render(document, all);

const stageOf = (run: () => unknown): string | null => {
  try {
    run();
    return null;
  } catch (error) {
    return error instanceof TemplateError ? error.stage : `no TemplateError: ${String(error)}`;
  }
};

it.each([
  ['{{ 7 | divided_by: 2 }}', '3'],
  ['{{ doc.n | divided_by: 2 }}', '3'],
  ['{{ doc.n | divided_by: 2.0 }}', '3.5'],
  ['{{ doc.f | divided_by: 2 }}', '3.75'],
  ['{{ doc.s | divided_by: 2 }}', '4'],
  ['{{ 7.0 | divided_by: 2 }}', '3.5'],
  ['{{ doc.n | times: 1.0 | divided_by: 2 }}', '3.5'],
  ['{{ doc.n | divided_by: -2 }}', '-3'],
])('integers divide to an integer: %s', (template, text) => {
  expect(render(template, { n: 7, f: 7.5, s: '9' })).toBe(text);
});

it.each([
  '7 | divided_by: 0',
  '7 | modulo: 0',
  '"x" | plus: 1',
  '1 | times: "3x"',
  'doc.n | minus: 1',
  'doc.l | abs',
  '"" | round',
  '1 | plus',
])('arithmetic fails without numbers and with a divisor of zero: %s', (expression) => {
  expect(stageOf(() => render(`{{ ${expression} }}`, { n: null, l: [1] }))).toBe('rendering');
});

it.each([
  ['"3" | plus: 1', '4'],
  ['-7 | modulo: 3', '-1'],
  ['7.5 | modulo: 2', '1.5'],
  ['2.567 | round: 1', '2.6'],
  ['2.5 | round', '3'],
  ['7 | at_least: "9"', '9'],
])('arithmetic takes numbers and texts of numbers: %s', (expression, text) => {
  expect(render(`{{ ${expression} }}`, {})).toBe(text);
});

describe('the default template', () => {
  const document = { t: 'Hello wörld and more', u: null, v: [1, 'two', { a: 3 }] };

  it('writes a line for each field with a value', () => {
    expect(render(DEFAULT_DOCUMENT_TEMPLATE, document)).toBe(
      't: Hello wörld and more\nv: 1twoa3\n',
    );
  });

  it('writes searchable fields alone, and nothing where there is none', () => {
    const template = DocumentTemplate.parse(DEFAULT_DOCUMENT_TEMPLATE, 400);
    expect(template.render(document, isSearchableIn(['v', 'x']))).toBe('v: 1twoa3\n');
    expect(template.render(document, isSearchableIn([]))).toBe('');
  });

  it('never writes vectors', () => {
    expect(render(DEFAULT_DOCUMENT_TEMPLATE, { id: 1, _vectors: { a: [1, 2] } })).toBe('id: 1\n');
  });
});

describe('a document template', () => {
  it.each([
    ['{{doc.title}} ({{ doc.year }})', 'Alien (1979)'],
    ['{{ doc.cast.lead.name }}', 'Ripley'],
    ['{{ doc.genres | join: ", " }}', 'horror, sci-fi'],
    ['{{ doc.genres[0] }}{{ doc["title"] }}', 'horrorAlien'],
    ['{% for g in doc.genres %}<{{ g }}>{% endfor %}', '<horror><sci-fi>'],
    ['{% if doc.nothing %}a{% else %}b{% endif %}', 'b'],
    ['{{ doc.nothing | default: "none" }}', 'none'],
    ['{{ doc.seen }}{{ doc.gone }}', 'true'],
    ['{{ doc.title | upcase | truncate: 4 }}', 'A...'],
    ['{% for f in fields %}{% unless f.is_searchable %}x{% endunless %}{% endfor %}', ''],
    ['plain text', 'plain text'],
    ['', ''],
    ['{{ doc.cast }}', 'leadnameRipley'],
  ])('%s → %j', (template, text) => {
    const cast = { lead: { name: 'Ripley' } };
    const document = { title: 'Alien', year: 1979, genres: ['horror', 'sci-fi'], cast, seen: true };
    expect(render(template, { ...document, gone: null })).toBe(text);
  });

  it.each([
    [10, 'aé€😀'],
    [9, 'aé€'],
    [7, 'aé€'],
    [6, 'aé€'],
    [5, 'aé'],
    [3, 'aé'],
    [2, 'a'],
    [1, 'a'],
  ])('is cut to %i bytes at a character', (bytesMax, text) => {
    expect(render('{{doc.t}}', { t: 'aé€😀' }, bytesMax)).toBe(text);
  });

  it.each(['{{ doc.title', '{% for %}', '{% nope %}', '{% if doc.a %}', '{{ doc.a | nope }}'])(
    'that is no Liquid is refused: %s',
    (template) => {
      expect(stageOf(() => render(template, { a: 'x' }))).toMatch('parsing');
    },
  );

  it.each(['{{ doc.nope }}', '{{ nope }}', '{{ doc.title.nope }}', '{{ doc.constructor }}'])(
    'fails on a document without the field: %s',
    (template) => {
      expect(stageOf(() => render(template, { title: 'x' }))).toBe('missing');
    },
  );

  it.each([
    "{% include 'x' %}",
    "{% render '/etc/passwd' %}",
    "{% layout 'x' %}",
    '{{ doc.__proto__ }}',
    '{{ doc.toString }}',
    '{{ doc | raw }}',
    '{% echo doc.t %}',
  ])('reaches nothing but the document: %s', (template) => {
    expect(stageOf(() => render(template, { t: 'x' }))).not.toBeNull();
  });

  it('takes a field of any name', () => {
    const document = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<
      string,
      unknown
    >;
    expect(render('{{ doc["__proto__"] }}{{ doc.constructor }}', document)).toBe('ab');
  });
});

describe('a template bomb', () => {
  const text = 'x'.repeat(100_000);

  it.each([
    '{% for a in (1..100000) %}{{ doc.t }}{% endfor %}',
    '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}x{% endfor %}{% endfor %}{% endfor %}',
  ])('that writes without end is cut where its text is: %s', (template) => {
    // Without the limit it would take minutes or all memory.
    expect(render(template, { t: text })).toMatch(/^x{400}$/);
  });

  it.each([
    '{% for a in (1..1000000000) %}x{% endfor %}',
    '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% assign x = c %}{% endfor %}{% endfor %}{% endfor %}',
    '{% capture x %}{% for a in (1..100000) %}{{ doc.t }}{% endfor %}{% endcapture %}{{ x }}',
    '{% assign s = "x" %}{% for a in (1..100) %}{% assign s = s | append: s %}{% endfor %}{{ s }}',
    `{% capture x %}{% for a in (1..100000) %}${'y'.repeat(60_000)}{% endfor %}{% endcapture %}{{ x }}`,
    '{{ doc.t | split: "" | join: doc.t }}',
    '{{ doc.t | replace: "x", doc.t }}',
    `{{ doc.t ${'| url_encode | url_decode | slugify '.repeat(10)} }}`,
    `${'{% if true %}'.repeat(4500)}x`,
    'x'.repeat(70_000),
  ])('stops at a limit: %.80s', (template) => {
    expect(stageOf(() => render(template, { t: text }))).toMatch(/parsing|rendering/);
  });

  it('of very many filters or operators in one place ends at the time limit', () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += 1000;
      return nowMs;
    });
    const many = (count: number, text: string): string => text.repeat(count);
    const filters = (count: number) => `{{ doc.t ${many(count, '| upcase | downcase ')} }}`;
    const conditions = (count: number) =>
      `{% if doc.t == "x" ${many(count, 'or doc.t contains "x" ')} %}{% endif %}ok`;
    try {
      expect(render(filters(1), { t: 'Ok' })).toBe('ok');
      expect(render(conditions(1), { t: 'ok' })).toBe('ok');
      expect(stageOf(() => render(filters(10), { t: 'Ok' }))).toBe('rendering');
      expect(stageOf(() => render(conditions(10), { t: 'ok' }))).toBe('rendering');
    } finally {
      clock.mockRestore();
    }
  });

  it('is distinguished from a rendering that a busy machine suspended', () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += 1000;
      return nowMs;
    });
    const endless = '{% for a in (1..100000) %}{% assign x = a %}{% endfor %}';
    try {
      expect(render('{% if doc.t %}{{ doc.t }}{% endif %}', { t: 'ok' })).toBe('ok');
      expect(stageOf(() => render(endless, {}))).toBe('rendering');
    } finally {
      clock.mockRestore();
    }
  });

  it('leaves nothing behind for the next template', () => {
    const captures =
      '{% for a in (1..400) %}{% capture x %}{{ doc.t }}{% endcapture %}{% endfor %}';
    expect(() => render(captures, { t: text })).toThrow('it writes more than 33554432 characters');
    expect(render('{{ doc.t }}', { t: 'ok' })).toBe('ok');
  });
});

describe('a fragment', () => {
  const fragment = FragmentTemplate.parse({
    kind: 'image',
    parts: [
      { text: 'A picture of {{ doc.name }}' },
      { url: '{{ doc.url }}', width: 3, lazy: null },
    ],
  });

  it('renders each of its strings and keeps all else', () => {
    expect(fragment.render({ doc: { name: 'tea', url: 'u' } })).toEqual({
      kind: 'image',
      parts: [{ text: 'A picture of tea' }, { url: 'u', width: 3, lazy: null }],
    });
  });

  it('does not apply where a variable is missing', () => {
    expect(fragment.render({ doc: { name: 'tea' } })).toBeUndefined();
    const search = FragmentTemplate.parse('{{ media.image }}');
    expect(search.render({ q: 'tea', media: { text: 'x' } })).toBeUndefined();
    expect(search.render({ media: { image: 'data' } })).toBe('data');
  });

  it('that is no Liquid is refused', () => {
    expect(stageOf(() => FragmentTemplate.parse({ a: ['{{ doc.x'] }))).toBe('parsing');
  });

  it('has one limit for all its strings', () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += 1000;
      return nowMs;
    });
    const text = '{{ doc.a }}'.repeat(3);
    const document = { a: 'x' };
    try {
      expect(FragmentTemplate.parse([text]).render({ doc: document })).toEqual(['xxx']);
      const many = FragmentTemplate.parse([text, text, text, text]);
      expect(stageOf(() => many.render({ doc: document }))).toBe('rendering');
      const short = DocumentTemplate.parse(text, 400);
      expect(stageOf(() => short.render(document, all, new RenderLimit(200)))).toBe('rendering');
    } finally {
      clock.mockRestore();
    }
  });

  it('that fails for another reason fails', () => {
    const bomb = FragmentTemplate.parse(['{% for a in (1..999999999) %}x{% endfor %}']);
    expect(stageOf(() => bomb.render({}))).toBe('rendering');
  });
});
