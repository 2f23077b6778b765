/**
 * Recorded requests with the answers of a public reference server, a frozen sample of them
 * (scripts/freeze-recorded-answers.mjs), and how an answer is held against a recorded one.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { HttpAnswer, HttpRequestOptions } from './http-request.ts';

export interface RecordedAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A request; `{uid}` stands for the index, in answers too. Either `body` (JSON) or `raw` is sent, if any. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AnsweredRequest extends RecordedRequest {
  readonly kind: string;
  readonly expect: RecordedAnswer;
}

/** How a task ended. */
export interface TaskOutcome {
  readonly status: string;
  readonly type: string;
  readonly code: string | null;
  readonly details: unknown;
}

/** An index that is made from nothing, and what it was asked. */
export interface RecordedCase {
  readonly name: string;
  readonly documents: readonly unknown[];
  readonly settings: unknown;
  /** Writes after documents and settings. */
  readonly operations?: readonly RecordedRequest[];
  readonly docsFirst?: boolean;
  readonly requests: readonly AnsweredRequest[];
  /** Of each write, in order. */
  readonly outcomes: readonly TaskOutcome[];
}

interface Frozen {
  readonly cases: readonly RecordedCase[];
  /** Distinct requests that are refused whatever the index holds. */
  readonly malformed: readonly AnsweredRequest[];
}

export const recordedAnswers = (): Frozen => {
  const bytes = readFileSync(new URL('../fixtures/recorded-answers.json.gz', import.meta.url));
  return JSON.parse(gunzipSync(bytes).toString()) as Frozen;
};

const encodedPath = (path: string): string =>
  path.replace(/[^\x21-\x7e]/gu, encodeURIComponent).replace(/["<>`{}|\\^]/g, encodeURIComponent);

/** The writes that make the index of a case, which has the name of the case. */
export function writesOf({
  name,
  settings,
  documents,
  docsFirst,
  operations = [],
}: RecordedCase): RecordedRequest[] {
  const change = { method: 'PATCH', path: `/indexes/${name}/settings`, body: settings };
  const addition = { method: 'POST', path: `/indexes/${name}/documents`, body: documents };
  return [...(docsFirst === true ? [addition, change] : [change, addition]), ...operations];
}

/** What was recorded, with the name of an index for `{uid}`. */
export const forIndex = <T>(uid: string, recorded: T): T =>
  JSON.parse(JSON.stringify(recorded).replaceAll('{uid}', uid));

/** The request as it is sent, with a key. */
export function sent(
  key: string,
  { path, body, raw, headers }: RecordedRequest,
): { readonly path: string; readonly options: HttpRequestOptions } {
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const contentType = body === undefined ? {} : { 'content-type': 'application/json' };
  return {
    path: encodedPath(path),
    options: {
      headers: { authorization: `Bearer ${key}`, ...(headers ?? contentType) },
      ...(text === undefined ? {} : { body: text }),
    },
  };
}

/** Members whose value depends on the moment or on what else the server holds. */
const VOLATILE =
  /^(processingTimeMs|requestUid|taskUid|batchUid|duration|link|message|uid|total|from|next|\w+(At|Date|Update|Size)|pkgVersion|commitSha)$/;

/** Routes that tell of the whole server. */
const SERVER_WIDE = /^\/(tasks|keys|batches|stats|version)|^\/indexes(\?|$)/;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Scores agree within 1e-6 of their size, distances within a metre. */
function agree(member: string, want: unknown, got: unknown): boolean {
  if (typeof want !== 'number' || typeof got !== 'number') return want === got;
  const isDistance = member === '_geoDistance' || member === 'distance';
  return Math.abs(want - got) <= (isDistance ? 1 : 1e-6 * Math.max(1, Math.abs(want)));
}

/** Place and values of the first difference of two JSON values, or null. */
export function differenceOf(want: unknown, got: unknown, path = '', member = ''): string | null {
  if (VOLATILE.test(member)) return null;
  if (!isObject(want) || !isObject(got) || Array.isArray(want) !== Array.isArray(got))
    return agree(member, want, got)
      ? null
      : `${path}: recorded ${JSON.stringify(want)}, now ${JSON.stringify(got)}`;
  for (const name of new Set([...Object.keys(want), ...Object.keys(got)])) {
    const inner = Array.isArray(want) ? member : name;
    const difference = differenceOf(want[name], got[name], `${path}/${name}`, inner);
    if (difference !== null) return difference;
  }
  return null;
}

/** What an answer says else than the recorded one, or null. */
export function differenceFrom(
  { path, expect: recorded }: AnsweredRequest,
  { status, text, json }: HttpAnswer,
): string | null {
  if (status !== recorded.status) return `status: recorded ${recorded.status}, now ${status}`;
  if (status < 400 && SERVER_WIDE.test(path)) return null;
  return differenceOf(recorded.body, json ?? text);
}
