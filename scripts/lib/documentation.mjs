/**
 * Renders the Markdown documents of the repository as the pages that the server delivers under
 * `/docs`: HTML without external resources, and the sections that its search box finds. Order and groups
 * are those of docs/README.md.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { Marked } from 'marked';

const HOME = 'docs/README.md';
/** Read by `scripts/docs-index/make-docs-index.ts`. */
const SECTIONS_FILE = 'dist/.sections.json';
/** Characters of a section that are searchable. */
const SECTION_CHARACTERS_MAX = 2000;
/** Documents outside of docs/ that are also pages, with their page names. */
const MORE_DOCUMENTS = {
  'ARCHITECTURE.md': 'architecture',
  'CHANGELOG.md': 'changelog',
  'CONTRIBUTING.md': 'contributing',
  'load-tests/RESULTS.md': 'results',
};

const markdownIn = (root, folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder))
        .filter((name) => name.endsWith('.md'))
        .sort()
        .map((name) => `${folder}/${name}`)
    : [];

/** Page names by document path. */
function pageNames(root) {
  const inDocs = markdownIn(root, 'docs').map((path) => [
    path,
    path === HOME ? 'index' : basename(path, '.md'),
  ]);
  const records = markdownIn(root, 'docs/adr').map((path) => [
    path,
    `adr-${basename(path, '.md')}`,
  ]);
  const more = Object.entries(MORE_DOCUMENTS).filter(([path]) => existsSync(join(root, path)));
  return new Map([...inDocs, ...records, ...more]);
}

/** Documents that become pages, as paths relative to the root. */
export const documentPaths = (root) => [...pageNames(root).keys()];

const escapeHtml = (text) =>
  text.replace(
    /[&<>"]/g,
    (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character],
  );

/** Anchor of a heading, in the style of GitHub. */
const slugOf = (title) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Unique anchors of the headings of one document. */
function createAnchors() {
  const seen = new Map();
  return (title) => {
    const slug = slugOf(title);
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  };
}

const plain = (markdown) =>
  markdown
    .replace(/<[^>]+>/g, ' ')
    .replace(/\]\([^)]*\)/g, ' ')
    .replace(/[`*|#>[\]]|-{3,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * The home page is one level above the other pages, so that all links are relative and work below
 * any path of a proxy.
 */
const hrefFrom = (from, to) => {
  if (from === 'index') return to === 'index' ? 'docs' : `docs/${to}`;
  return to === 'index' ? '../docs' : to;
};

/** Target of a document's link on its page; null = a file that exists only in the repository. */
function resolveLink(names, path, href) {
  if (/^[a-z]+:/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const to = target === '' ? path : posix.normalize(posix.join(dirname(path), target));
  const fragment = anchor === undefined ? '' : `#${anchor}`;
  if (target === '') return fragment;
  const name = names.get(to);
  return name === undefined ? null : `${hrefFrom(names.get(path), name)}${fragment}`;
}

function markdownOf(names, path) {
  const anchorOf = createAnchors();
  return new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const id = anchorOf(text);
        const words = this.parser.parseInline(tokens);
        return depth === 1
          ? `<h1 id="${id}">${words}</h1>\n`
          : `<h${depth} id="${id}"><a class="anchor" href="#${id}">${words}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const to = resolveLink(names, path, href);
        return to === null ? words : `<a href="${escapeHtml(to)}">${words}</a>`;
      },
      image({ href, text }) {
        const name = `${hrefFrom(names.get(path), posix.basename(href))}`;
        return `<img src="${escapeHtml(name)}" alt="${escapeHtml(text)}">`;
      },
      tablecell({ tokens, header }) {
        const words = this.parser.parseInline(tokens);
        // A header cell without text is no header.
        const tag = header && words !== '' ? 'th' : 'td';
        return `<${tag}>${words}</${tag}>\n`;
      },
      code({ text, lang = '' }) {
        const language = lang.split(' ')[0];
        return `<pre><code${language === '' ? '' : ` class="language-${language}"`}>${escapeHtml(text)}\n</code></pre>\n`;
      },
    },
  });
}

/** Table rows with their own anchor, each as a section. */
const rowSections = (token) =>
  [...token.raw.matchAll(/<a id="([^"]+)"><\/a>(.*)/g)].map(([, id, rest]) => ({
    id,
    heading: id,
    text: plain(rest),
  }));

/** Sections with heading, anchor and text. */
function sectionsOf(tokens) {
  const anchorOf = createAnchors();
  const sections = [];
  for (const token of tokens) {
    const rows = token.type === 'table' ? rowSections(token) : [];
    if (token.type === 'heading') {
      sections.push({ id: anchorOf(token.text), heading: plain(token.text), text: '' });
    } else if (rows.length > 0) {
      sections.push(...rows);
    } else {
      const section = sections.at(-1);
      if (section !== undefined) section.text += `${plain(token.raw)} `;
    }
  }
  return sections.map((section) => ({
    ...section,
    text: section.text.slice(0, SECTION_CHARACTERS_MAX).trim(),
  }));
}

/** Groups of pages from the home document: second-level headings and the links of their lists. */
function groupsOf(root, names) {
  const groups = [];
  for (const token of new Marked().lexer(readFileSync(join(root, HOME), 'utf8'))) {
    if (token.type === 'heading' && token.depth === 2)
      groups.push({ title: token.text, pages: [] });
    if (token.type !== 'list') continue;
    for (const item of token.items) {
      const [, label, href] = /^\[([^\]]+)\]\(([^)]+)\)/.exec(item.text) ?? [];
      const name = href && names.get(posix.normalize(posix.join(dirname(HOME), href)));
      if (name !== undefined) groups.at(-1)?.pages.push({ name, label });
    }
  }
  return groups;
}

function sideList(groups, current) {
  const item = ({ name, label }) =>
    `<li><a href="${hrefFrom(current, name)}"${name === current ? ' aria-current="page"' : ''}>${escapeHtml(label)}</a></li>`;
  const lists = groups.map(
    ({ title, pages }) =>
      `<p class="group">${escapeHtml(title)}</p>\n<ul>\n${pages.map(item).join('\n')}\n</ul>`,
  );
  return `<nav class="pages" aria-label="Pages">\n${lists.join('\n')}\n</nav>`;
}

/** Pages with fewer sections need no contents. */
const CONTENTS_MIN = 4;

/** Links to the second-level sections, behind the title. */
function contentsOf(headings) {
  if (headings.length < CONTENTS_MIN) return '';
  const items = headings.map(
    ({ id, heading }) => `<li><a href="#${id}">${escapeHtml(heading)}</a></li>`,
  );
  return `<nav aria-label="On this page"><ul class="contents">\n${items.join('\n')}\n</ul></nav>\n`;
}

/** Second-level headings with their anchors. */
function headingsOf(tokens) {
  const anchorOf = createAnchors();
  return tokens
    .filter(({ type }) => type === 'heading')
    .map(({ text, depth }) => ({ id: anchorOf(text), heading: plain(text), depth }))
    .filter(({ depth }) => depth === 2);
}

function htmlOf({ name, title, body, groups }) {
  const file = (asset) => hrefFrom(name, asset);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(name === 'index' ? title : `${title} · Gannet`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${file('docs-page.css')}">
<script type="module" src="${file('docs-page.js')}"></script>
</head>
<body data-search="${file('search')}">
<a class="skip" href="#content">Skip to the text</a>
<header class="head">
<a class="name" href="${hrefFrom(name, 'index')}">Gannet documentation</a>
<search hidden><label>Search <input type="search" autocomplete="off" aria-describedby="found-count"></label>
<p id="found-count" class="hidden" role="status"></p><ol id="found" hidden></ol></search>
</header>
<div class="page">
${sideList(groups, name)}
<main id="content" tabindex="-1">
${body}</main>
</div>
</body>
</html>
`;
}

/**
 * All pages of the documents below a root.
 * @returns contents by file name, and the sections of all pages for their search
 */
export function renderDocumentation(root) {
  const names = pageNames(root);
  const groups = groupsOf(root, names);
  const files = new Map();
  const sections = [];
  for (const [path, name] of names) {
    const markdown = markdownOf(names, path);
    const tokens = markdown.lexer(readFileSync(join(root, path), 'utf8'));
    const title = plain(tokens.find(({ type }) => type === 'heading')?.text ?? name);
    const [top, ...rest] = markdown.parser(tokens).split('</h1>\n');
    const body = [top, '</h1>\n', contentsOf(headingsOf(tokens)), ...rest].join('');
    files.set(`${name}.html`, htmlOf({ name, title, body, groups }));
    for (const { id, heading, text } of sectionsOf(tokens))
      sections.push({ page: name, title, id, heading, text });
  }
  return { files, sections };
}

/**
 * Writes pages and their images to dist/docs, which has the script and the style sheet, and the
 * sections to a file for the build of their index.
 */
export function writeDocumentation(root) {
  const target = join(root, 'dist/docs');
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(target))
    if (/\.(html|json|png|webp)$/.test(name)) rmSync(join(target, name));
  const { files, sections } = renderDocumentation(root);
  for (const [name, content] of files) writeFileSync(join(target, name), content);
  writeFileSync(join(root, SECTIONS_FILE), JSON.stringify(sections));
  const images = join(root, 'docs/images');
  for (const name of existsSync(images) ? readdirSync(images) : [])
    copyFileSync(join(images, name), join(target, name));
}
