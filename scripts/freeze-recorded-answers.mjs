/**
 * Writes test/fixtures/recorded-answers.json.gz from a folder of recordings: a few complete cases
 * for each kind of request, and every distinct malformed request.
 *
 *     node scripts/freeze-recorded-answers.mjs ../shared/golden
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ROOT } from './lib/fresh.mjs';

/**
 * Cases by recording: small cases that differ in settings, later writes, ranking rules, vectors.
 */
const CASES = {
  'random-01': [1, 2, 3, 14, 19, 25, 41, 42, 51, 58, 65, 69, 79, 84, 90].map((n) => `r101-${n}`),
  'random-02': [116, 117, 125, 137, 144, 152, 163, 182, 193, 194].map((n) => `r101-${n}`),
  keyword: [15, 23, 29, 40, 45, 47, 54, 92].map((n) => `k202-${n}`),
  languages: ['ar-localized'],
};

/** True if the response to a malformed request depends on documents, settings or a task. */
function needsState({ path, body, expect: { body: answer } }) {
  if (path.endsWith('/documents/not_there')) return true;
  const text = JSON.stringify(body) ?? decodeURIComponent(path);
  const asksIndex =
    answer.code === 'invalid_search_facets' ||
    /"filter":"|filter=|"sort":\["(title|unknownattr):asc|"facetName":"\w/.test(text);
  return asksIndex && !/"facets":("x"|\{)/.test(text);
}

/** Index names of the recordings are replaced by `{uid}` in requests and responses. */
const withoutUid = (value) =>
  JSON.parse(JSON.stringify(value).replace(/"(indexUid)":"rec-[\w-]+"/g, '"$1":"{uid}"'));

function freeze(folder) {
  const cases = [];
  const malformed = new Map();
  for (const [file, names] of Object.entries(CASES)) {
    const recording = JSON.parse(gunzipSync(readFileSync(join(folder, `${file}.json.gz`))));
    for (const recorded of recording.cases) {
      if (names.includes(recorded.name)) cases.push(recorded);
      for (const request of recorded.requests)
        if (request.expect.status >= 400 && request.kind === 'error' && !needsState(request)) {
          const { expect, ...asked } = request;
          malformed.set(JSON.stringify(asked), request);
        }
    }
  }
  return withoutUid({ cases, malformed: [...malformed.values()] });
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node scripts/freeze-recorded-answers.mjs FOLDER_OF_RECORDINGS');
  process.exit(2);
}
const frozen = freeze(folder);
const bytes = gzipSync(JSON.stringify(frozen), { level: 9 });
writeFileSync(join(ROOT, 'test/fixtures/recorded-answers.json.gz'), bytes);
const requests = frozen.cases.flatMap((recorded) => recorded.requests).length;
console.log(
  `${frozen.cases.length} cases with ${requests} requests and ${frozen.malformed.length} malformed ` +
    `requests in ${bytes.length} bytes`,
);
