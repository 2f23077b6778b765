/**
 * The worked examples of a document: its fenced YAML blocks, read strictly, so that a misspelt
 * expectation is an error and not a test that cannot fail.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Settings } from '../../src/model/settings.ts';
import type { SourceDocument } from './build-snapshot.ts';
import type { LevelDetails } from './search.ts';

type ById<T> = Readonly<Record<string, T>>;

/** What is asked of the documents of an example, and what comes of it. */
export interface ExampleSearch {
  /** Text of the query, or members of the request. */
  readonly ask: string | Readonly<Record<string, unknown>>;
  /** Ids in order. */
  readonly hits?: readonly string[];
  readonly scores?: ById<number>;
  /** A part of the score details of hits. */
  readonly details?: ById<ById<Partial<LevelDetails>>>;
  /** Of one ranking rule: ids that share a bucket, best bucket first. */
  readonly buckets?: ById<readonly (readonly string[])[]>;
  /** A part of `_formatted` of hits. */
  readonly formatted?: ById<object>;
  /** Other members of the answer. */
  readonly answer?: object;
  /** Code of the error that is the answer. */
  readonly error?: string;
}

/** How a text is cut: `word@position …`. */
export interface ExampleText {
  readonly text: string;
  readonly words: string;
  readonly locales?: readonly string[];
}

export interface WorkedExample {
  /** `<section> <number within it>`. */
  readonly name: string;
  readonly settings?: Partial<Settings>;
  /** By id; a text alone is the value of the field `text`. */
  readonly documents?: ById<string | object>;
  readonly searches?: readonly ExampleSearch[];
  readonly texts?: readonly ExampleText[];
}

const EXAMPLE = ['settings', 'documents', 'searches', 'texts'];
const SEARCH = [...['ask', 'hits', 'scores', 'details', 'buckets', 'formatted', 'answer', 'error']];
const TEXT = ['text', 'words', 'locales'];

function checkMembers(where: string, value: object, allowed: readonly string[]): void {
  const unknown = Object.keys(value).filter((name) => !allowed.includes(name));
  if (unknown.length > 0) throw new Error(`${where} has unknown members: ${unknown.join()}`);
}

function exampleOf(name: string, block: string): WorkedExample {
  const example = parse(block) as WorkedExample;
  checkMembers(name, example, EXAMPLE);
  for (const asked of example.searches ?? []) {
    checkMembers(name, asked, SEARCH);
    if (Object.keys(asked).length < 2) throw new Error(`${name} expects nothing of a search`);
  }
  for (const cut of example.texts ?? []) checkMembers(name, cut, TEXT);
  return { ...example, name };
}

/** All blocks of a Markdown file under numbered headings. */
export function workedExamples(file: string): WorkedExample[] {
  const examples: WorkedExample[] = [];
  let section = '';
  let number = 0;
  const parts = /^#+ (\d[\d.]*) |^```yaml\n([\s\S]*?)^```$/gm;
  for (const [, heading, block] of readFileSync(file, 'utf8').matchAll(parts)) {
    if (heading !== undefined) {
      section = heading;
      number = 0;
    } else if (block !== undefined) {
      number++;
      examples.push(exampleOf(`${section}, example ${number}`, block));
    }
  }
  return examples;
}

/** The documents of an example with their ids, in order. */
export const documentsOf = ({ documents = {} }: WorkedExample): SourceDocument[] =>
  Object.entries(documents).map(([id, value]) =>
    typeof value === 'string' ? { id, text: value } : { id, ...value },
  );
