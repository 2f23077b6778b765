/**
 * A page of documents in an instance's answer, split so that pages of several instances can be
 * joined without parsing documents.
 */
import { ApiError } from '../core/errors.ts';
import { JsonError } from '../engine/json/json-error.ts';
import { JsonKind, JsonTape } from '../engine/json/json-tape.ts';
import { memberNode, numberAt } from '../engine/json/tape-members.ts';

export interface DocumentsPage {
  /** The documents in order, separated by commas; empty if there are none. */
  readonly results: Uint8Array;
  /** Number of matching documents on all pages. */
  readonly total: number;
}

const tape = new JsonTape();

/** @param remote name of the instance, for messages. Throws `ApiError` `remote_bad_response` */
export function readDocumentsPage(body: Uint8Array, remote: string): DocumentsPage {
  const refuse = (problem: string): never => {
    throw new ApiError(
      'remote_bad_response',
      `The answer of \`${remote}\` is not a page of documents: ${problem}.`,
    );
  };
  try {
    tape.scan(body, 0, body.length);
  } catch (error) {
    if (error instanceof JsonError) return refuse('it is no JSON');
    throw error;
  }
  const [results, total] = [memberNode(tape, 0, 'results'), memberNode(tape, 0, 'total')];
  if (results === null || tape.kind(results) !== JsonKind.array)
    return refuse('it has no list of documents');
  const count = numberAt(tape, total);
  if (count === null || !Number.isSafeInteger(count) || count < 0)
    return refuse('it does not say how many documents there are');
  return { results: body.subarray(tape.start(results) + 1, tape.end(results) - 1), total: count };
}
