/** Scores of a local cross-encoder through a message port: a tiny one against a plain calculation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LocalModels } from '../../../../src/embedding/local/local-models.ts';
import type { EmbedderEnvironment } from '../../../../src/embedding/open-embedder.ts';
import type { ScoreTask } from '../../../../src/embedding/thread/embedding-messages.ts';
import { EmbeddingThread } from '../../../../src/embedding/thread/embedding-thread.ts';
import { threadPairScores } from '../../../../src/embedding/thread/thread-embedder.ts';
import { StoredModel } from '../../../../src/storage/model-store.ts';
import { madeCrossEncoderFiles, madePairScore, writeModel } from '../../../support/made-model.ts';

const root = mkdtempSync(join(tmpdir(), 'gannet-cross-encoders-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const never = new AbortController().signal;
const WORDS = ['the', 'sea', 'ship', 'storm', 'quiet', 'unheard'];
const TEXTS = ['the sea', 'ship', '', 'storm storm storm', 'quiet the ship'];

const models = new LocalModels({
  openFolder: (model, revision) => new StoredModel(root, model, revision),
  hub: null,
  onLoaded: () => undefined,
});
const thread = new EmbeddingThread({} as EmbedderEnvironment, models);
/** Of the thread, in their order. */
const answers: unknown[] = [];
const scorePairs = threadPairScores(async (name, task) => {
  expect(name).toBe('score');
  const answer = await thread.score(task as unknown as ScoreTask);
  answers.push(answer);
  return answer;
});

const expectScores = (
  scores: Float64Array,
  query: string,
  texts: readonly string[],
  tokensMax?: number,
) => {
  expect(scores).toHaveLength(texts.length);
  for (const [n, text] of texts.entries())
    expect(scores[n]).toBeCloseTo(madePairScore(query, text, tokensMax), 5);
};

describe('a local cross-encoder', () => {
  it('scores each text with the query, whatever the lengths of the others', async () => {
    writeModel(join(root, 'made/cross'), madeCrossEncoderFiles());
    const made = { model: 'made/cross' };
    expectScores(await scorePairs(made, 'storm', TEXTS, never), 'storm', TEXTS);
    expectScores(await scorePairs(made, '', TEXTS, never), '', TEXTS);
    expect(await scorePairs(made, 'storm', [], never)).toHaveLength(0);
  });

  it('gets the beginning of a text that is too long, and at most half of it is the query', async () => {
    writeModel(join(root, 'made/cross@short'), madeCrossEncoderFiles(9));
    const made = { model: 'made/cross', revision: 'short' };
    const texts = Array.from({ length: 300 }, (_, n) =>
      Array.from({ length: n % 12 }, (_, at) => WORDS[(n + at) % WORDS.length]).join(' '),
    );
    for (const query of ['ship', 'the storm sea ship quiet'])
      expectScores(await scorePairs(made, query, texts, never), query, texts, 9);
    expect(madePairScore('ship', 'sea sea sea sea sea sea', 9)).toBe(
      madePairScore('ship', 'sea sea sea sea sea', 9),
    );
  });

  it('stops between two runs when no search waits any longer', async () => {
    writeModel(join(root, 'made/cross'), madeCrossEncoderFiles());
    await scorePairs({ model: 'made/cross' }, 'sea', ['ship'], never);
    answers.length = 0;
    const leaving = new AbortController();
    const texts = Array.from({ length: 20_000 }, (_, n) => `storm ${WORDS[n % WORDS.length]}`);
    const left = scorePairs({ model: 'made/cross' }, 'sea', texts, leaving.signal);
    const next = scorePairs({ model: 'made/cross' }, 'sea', TEXTS, never);
    setImmediate(() => leaving.abort(new Error('left')));
    await expect(left).rejects.toThrow('left');
    expectScores(await next, 'sea', TEXTS);
    expect(answers).toEqual([{ error: expect.anything() }, { value: expect.anything() }]);
  });

  it('is not a model that makes vectors', async () => {
    writeModel(join(root, 'made/vectors'));
    const scored = scorePairs({ model: 'made/vectors' }, 'sea', ['ship'], never);
    await expect(scored).rejects.toThrow(/gives \d+ numbers.*a cross-encoder gives one/);
  });

  it('has a tokenizer of pairs', async () => {
    const files = madeCrossEncoderFiles();
    const tokenizer = JSON.parse(String(files['tokenizer.json']));
    tokenizer.post_processor.pair = [];
    const spoiled = Buffer.from(JSON.stringify(tokenizer));
    writeModel(join(root, 'made/alone'), { ...files, 'tokenizer.json': spoiled });
    const scored = scorePairs({ model: 'made/alone' }, 'sea', ['ship'], never);
    await expect(scored).rejects.toThrow('no form for pairs');
  });

  it('that is not there is named', async () => {
    const scored = scorePairs({ model: 'made/missing' }, 'sea', ['ship'], never);
    await expect(scored).rejects.toThrow(/^the folder `made\/missing`/);
  });
});
