/** Sentences of 8 to 20 words out of the benchmark data. */
import { join } from 'node:path';
import { linesOf } from './data-files.ts';
import { readJudgedSet } from './judged-set.ts';

const WORDS_MIN = 8;
const WORDS_MAX = 20;

function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter(Boolean).length;
  return words >= WORDS_MIN && words <= WORDS_MAX;
}

/** At most `count`, evenly from all. */
const some = (sentences: readonly string[], count: number): string[] =>
  sentences.filter(
    (_, i) =>
      Math.floor((i * count) / sentences.length) !==
      Math.floor(((i - 1) * count) / sentences.length),
  );

const documentsOf = (dataDir: string, corpus: string): Record<string, string>[] =>
  linesOf(join(dataDir, 'corpora', `${corpus}.ndjson.gz`)).map(
    (line) => JSON.parse(line) as Record<string, string>,
  );

/** Sentences by where they are from. */
export function readSentences(dataDir: string, count: number): Record<string, string[]> {
  const definitions = documentsOf(dataDir, 'wordnet').map(({ definition }) => definition ?? '');
  const overviews = documentsOf(dataDir, 'movies').flatMap(({ overview }) =>
    (overview ?? '').split(/(?<=[.!?])\s/),
  );
  const questions = ['cranfield', 'cisi', 'xquad_en'].flatMap((set) =>
    readJudgedSet(join(dataDir, 'ir', set)).queries.map(({ q }) => q),
  );
  return {
    definitions: some(definitions.filter(isSentence), count),
    overviews: some(overviews.filter(isSentence), count),
    questions: some(questions.filter(isSentence), count),
  };
}
