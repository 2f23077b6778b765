/** The pages of the documentation as they are rendered: complete, linked, without anything foreign. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { documentPaths, renderDocumentation } from '../../scripts/lib/documentation.mjs';
import { codeBlocks, linkTargets } from '../support/markdown.ts';

const { files: rendered, sections } = renderDocumentation('.');
const pages = [...rendered].filter(([name]) => name.endsWith('.html'));
const idsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
const hrefsOf = (html: string): string[] =>
  [...html.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href!);
const ids = new Map(pages.map(([name, html]) => [name, new Set(idsOf(html))]));
/** All of them together. */
const PICTURE_BYTES_MAX = 700_000;
/** Files that accompany the rendered pages. */
const ASSETS = ['/docs/docs-page.css', '/docs/docs-page.js'];

/** Why a link of a page leads nowhere, or null. */
function faultOf(page: string, href: string): string | null {
  if (/^(https?|data):/.test(href)) return null;
  const base = page === 'index.html' ? '/docs' : `/docs/${page.replace('.html', '')}`;
  const { pathname, hash } = new URL(href, `http://host${base}`);
  if (ASSETS.includes(pathname)) return null;
  const target = pathname === '/docs' ? 'index.html' : `${pathname.replace('/docs/', '')}.html`;
  const found = ids.get(target);
  if (found === undefined) return `${href}: no page ${pathname}`;
  return hash === '' || found.has(decodeURIComponent(hash.slice(1))) ? null : `${href}: no anchor`;
}

/** A value, or one a line. */
function isJson(text: string): boolean {
  const isValue = (part: string): boolean => {
    try {
      JSON.parse(part);
      return true;
    } catch {
      return false;
    }
  };
  return (
    isValue(text) ||
    text
      .trim()
      .split(/\n(?=\{|null$)/)
      .every(isValue)
  );
}

const documents = documentPaths('.').filter((path) => path.startsWith('docs/'));

describe('code in the documentation', () => {
  it.each(documents)('%s has JSON that can be read', (path) => {
    const blocks = codeBlocks(path).filter(({ language }) => language === 'json');
    expect(blocks.map(({ text }) => text).filter((text) => !isJson(text))).toEqual([]);
  });

  it.each(documents)('%s says of each request by curl whether it is tried', (path) => {
    const unmarked = codeBlocks(path).filter(
      ({ mark, text }) => /^curl .*localhost:7700/m.test(text) && !/^(un)?tried$/.test(mark),
    );
    expect(unmarked.map(({ text }) => text)).toEqual([]);
  });
});

describe('the documentation', () => {
  it.each(pages)('%s links to pages and anchors that exist', (name, html) => {
    expect(
      hrefsOf(html)
        .map((href) => faultOf(name, href))
        .filter((fault) => fault),
    ).toEqual([]);
  });

  it.each(pages)('%s has one title, and each anchor once', (_, html) => {
    expect(html.match(/<h1 /g)).toHaveLength(1);
    expect(idsOf(html)).toEqual([...new Set(idsOf(html))]);
  });

  it.each(pages)('%s loads nothing from elsewhere and holds no script or style', (_, html) => {
    expect(html.match(/ src="(?:[a-z]+:)?\/\//g)).toBeNull();
    expect(html.match(/<script(?! type="module" src=)|<style| style=| on\w+=/g)).toBeNull();
  });

  it.each(pages)('%s shows pictures that exist', (_, html) => {
    const shown = [...html.matchAll(/ src="([^":]+\.webp)"/g)].map(([, name]) => name!);
    expect(shown.filter((name) => !existsSync(`docs/images/${name}`))).toEqual([]);
  });

  it('has small pictures', () => {
    const sizes = readdirSync('docs/images').map((name) => statSync(`docs/images/${name}`).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(PICTURE_BYTES_MAX);
  });

  it('is listed whole on its first page', () => {
    const listed = new Set(
      linkTargets(readFileSync('docs/README.md', 'utf8')).map((target) =>
        target.startsWith('../') ? target.slice(3) : `docs/${target}`,
      ),
    );
    const missing = documentPaths('.').filter((path) => !listed.has(path));
    expect(missing).toEqual(['docs/README.md']);
  });

  it('is looked through section by section, error by error', () => {
    const lost = sections.filter(({ page, id }) => !ids.get(`${page}.html`)?.has(id));
    expect(lost).toEqual([]);
    expect(sections).toContainEqual(
      expect.objectContaining({ page: 'errors', id: 'index_not_found' }),
    );
  });
});
