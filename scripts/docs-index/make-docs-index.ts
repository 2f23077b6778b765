/**
 * Last step of the build: writes the sections of the documentation as an index to dist/docs-index,
 * which fronts search for the page (`src/api/routes/docs-routes.ts`).
 */
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DOCS_INDEX } from '../../src/runtime/built-indexes.ts';
import type { DocsSection } from '../lib/documentation.mjs';
import { writeBuiltIndex } from '../lib/write-built-index.ts';
import { docsSettings } from './docs-settings.ts';

/** Pages by name; the rest are guides. */
const REFERENCES = /^(api|configuration|features|index|relevance|telemetry)$/;
const INTERNALS =
  /^(adr-.*|api-reference|architecture|changelog|contributing|durability|results|routes)$/;

/** Guides come before references, then errors, then internals. */
function rankOf(page: string): number {
  if (INTERNALS.test(page)) return 3;
  if (page === 'errors') return 2;
  return REFERENCES.test(page) ? 1 : 0;
}

/** Replaces the contents of `folder`. */
function makeDocsIndex(sections: readonly DocsSection[], folder: string): void {
  const documents = sections.map(({ id: anchor, ...section }, id) => ({
    id,
    ...section,
    anchor,
    rank: rankOf(section.page),
  }));
  writeBuiltIndex(folder, { ...DOCS_INDEX, settings: docsSettings, documents });
}

const sectionsFile = new URL('../../.sections.json', import.meta.url);
makeDocsIndex(
  JSON.parse(readFileSync(sectionsFile, 'utf8')) as DocsSection[],
  fileURLToPath(new URL('../../docs-index', import.meta.url)),
);
rmSync(sectionsFile);
