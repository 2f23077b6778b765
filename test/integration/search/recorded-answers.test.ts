/** Goal: keyword answers agree with the recorded ones. Method: a spread of 30 recorded indexes, built and asked in this process. */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import type { SearchRequest } from '../../../src/model/search.ts';
import { DEFAULT_SETTINGS, type Settings, type TypoTolerance } from '../../../src/model/settings.ts';
import type { IndexSnapshot } from '../../../src/search/index-snapshot.ts';
import { buildSnapshot, type SourceDocument } from '../../support/build-snapshot.ts';
import { search } from '../../support/search.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface RecordedRequest {
  readonly kind: string;
  readonly method: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly expect: Answer;
}

interface RecordedCase {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly operations?: readonly unknown[];
  readonly requests: readonly RecordedRequest[];
}

interface Checker {
  compare(want: Answer, got: Answer, request: RecordedRequest): object | null;
  documentsOf(recorded: RecordedCase): SourceDocument[];
}

const GOLDEN = new URL('../../../../shared/golden/', import.meta.url);
const CHECKER = new URL('check.mjs', GOLDEN);
const RECORDING = new URL('keyword.json.gz', GOLDEN);
const isRecordingThere = existsSync(CHECKER) && existsSync(RECORDING);

const SAMPLE_SIZE = 30;
const AGREEMENT_MIN = 0.99;

/** Parameters of later parts of the server: documents are not filtered, sorted or formatted here. */
const OTHER_PARTS = [
  'filter',
  'sort',
  'facets',
  'distinct',
  'attributesToHighlight',
  'attributesToCrop',
  'showMatchesPosition',
  'hybrid',
];

function isKeywordCase({ settings, operations }: RecordedCase): boolean {
  const { distinctAttribute, embedders, localizedAttributes, rankingRules } = settings;
  const hasCustomRule = Array.isArray(rankingRules) && rankingRules.some((rule) => String(rule).includes(':'));
  return !distinctAttribute && !embedders && !localizedAttributes && !hasCustomRule && !operations?.length;
}

const isKeywordRequest = ({ kind, method, body, expect: { status } }: RecordedRequest): boolean =>
  ['search', 'placeholder', 'get-search'].includes(kind) &&
  method === 'POST' &&
  status === 200 &&
  !OTHER_PARTS.some((name) => body && name in body);

/** Recorded settings are those sent: absent and null members have their defaults. */
function settingsOf(sent: RecordedCase['settings']): Partial<Settings> {
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)) as Partial<Settings>;
  if (!given.typoTolerance) return given;
  const { minWordSizeForTypos, ...rest }: Partial<TypoTolerance> = given.typoTolerance;
  const defaults = DEFAULT_SETTINGS.typoTolerance;
  return {
    ...given,
    typoTolerance: {
      ...defaults,
      ...rest,
      minWordSizeForTypos: { ...defaults.minWordSizeForTypos, ...minWordSizeForTypos },
    },
  };
}

function answer(snapshot: IndexSnapshot, request: RecordedRequest): Answer {
  try {
    return { status: 200, body: search(snapshot, request.body as Partial<SearchRequest>) };
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, body: { code: error.code, message: error.message } };
    throw error;
  }
}

const sampleOf = (cases: readonly RecordedCase[]): RecordedCase[] =>
  Array.from({ length: SAMPLE_SIZE }, (_, i) => cases[Math.floor((i * cases.length) / SAMPLE_SIZE)]!);

describe.skipIf(!isRecordingThere)('recorded keyword answers (skipped where ../shared/golden is absent)', () => {
  it(`agree in at least ${AGREEMENT_MIN * 100} % of the requests`, async () => {
    const { compare, documentsOf } = (await import(CHECKER.href)) as Checker;
    const { cases } = JSON.parse(gunzipSync(readFileSync(RECORDING)).toString()) as { cases: RecordedCase[] };
    const differences: object[] = [];
    let asked = 0;
    for (const recorded of sampleOf(cases.filter(isKeywordCase))) {
      const snapshot = buildSnapshot({ documents: documentsOf(recorded), settings: settingsOf(recorded.settings) });
      for (const request of recorded.requests.filter(isKeywordRequest)) {
        asked++;
        const difference = compare(request.expect, answer(snapshot, request), request);
        if (difference) differences.push({ case: recorded.name, body: request.body, ...difference });
      }
    }
    expect(asked).toBeGreaterThan(300);
    expect(1 - differences.length / asked, JSON.stringify(differences.slice(0, 3), null, 1)).toBeGreaterThanOrEqual(
      AGREEMENT_MIN,
    );
  });
});
