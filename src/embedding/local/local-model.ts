/** A loaded model: texts in, vectors out; or a query with texts in, scores out. */
import { setImmediate } from 'node:timers/promises';
import { SerialQueue } from '../../core/serial-queue.ts';
import type { Pooling } from '../../model/embedders/embedder-settings.ts';
import { EmbeddingError } from '../embedder.ts';
import {
  type ModelJson,
  paddingOf,
  type TokenPooling,
  tokenPoolingOf,
  tokensMaxOf,
} from './model-description.ts';
import type { ModelFolder } from './model-folder.ts';
import { type Device, type OnnxSession, type OnnxTensor, openOnnxSession } from './onnx-runtime.ts';
import { TextTokenizer, type Tokens } from './text-tokenizer.ts';

/** Token vectors, text after text, each padded to the same number of positions. */
interface TokenVectors {
  readonly values: Float32Array;
  readonly places: number;
  readonly dimensions: number;
}

/** @param count tokens of the text, which are the first of its positions; at least 1 */
function poolTokens(
  { values, places, dimensions }: TokenVectors,
  text: number,
  count: number,
  pooling: TokenPooling,
): Float32Array {
  const first = text * places * dimensions;
  const pooled = values.slice(first, first + dimensions);
  for (let token = 1; pooling !== 'cls' && token < count; token++) {
    const begin = first + token * dimensions;
    for (let at = 0; at < dimensions; at++) {
      const value = values[begin + at] as number;
      const before = pooled[at] as number;
      pooled[at] = pooling === 'mean' ? before + value : Math.max(before, value);
    }
  }
  return toUnitLength(pooled);
}

/** Normalizes the vector itself, without a copy. A vector of zeros stays as it is. */
function toUnitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (length > 0)
    for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) / length;
  return vector;
}

export interface LoadedModel {
  readonly library: string;
  readonly device: Device;
  readonly milliseconds: number;
}

/** Token positions per run, padding included: bounds the memory of a run. */
const PLACES_MAX = 4096;
/** The same for scores: their runs are short, because a search ends between two of them. */
const SCORED_PLACES_MAX = 1024;
const TEXTS_MAX = 32;

/** Inputs that models may ask for, with their value at each position. */
const INPUTS: Readonly<Record<string, (tokens: Tokens, place: number, padding: number) => number>> =
  {
    input_ids: ({ ids }, place, padding) => ids[place] ?? padding,
    attention_mask: ({ ids }, place) => (place < ids.length ? 1 : 0),
    token_type_ids: ({ types }, place) => types?.[place] ?? 0,
    position_ids: (_, place) => place,
  };

type Outputs = Readonly<Record<string, OnnxTensor>>;

type OnEmbedded = (at: readonly number[], vectors: readonly Float32Array[]) => Promise<void> | void;

/** What the files next to the weights say. */
interface ModelParts {
  readonly tokenizer: TextTokenizer;
  readonly pooling: TokenPooling;
  /** True if vectors that the model pools itself are used. */
  readonly usesOwnPooling: boolean;
  /** Number of the padding token. */
  readonly padding: number;
}

export class LocalModel {
  readonly loaded: LoadedModel;
  readonly #session: OnnxSession;
  readonly #parts: ModelParts;
  /** The run under way: one at a time, because each uses all cores. */
  readonly #runs = new SerialQueue();
  /** Calls of `score` take turns, so that the first ones end in time where many wait. */
  readonly #scoring = new SerialQueue();
  /** Calls that have not ended. */
  readonly #calls = new Set<Promise<unknown>>();

  private constructor(session: OnnxSession, parts: ModelParts, milliseconds: number) {
    const { library, device } = session;
    this.loaded = { library, device, milliseconds };
    this.#session = session;
    this.#parts = parts;
  }

  /** @throws EmbeddingError naming the missing or invalid file */
  static async load(folder: ModelFolder, pooling: Pooling): Promise<LocalModel> {
    const beginMs = performance.now();
    const model = folder.find(['onnx/model.onnx', 'model.onnx']);
    const tokenizer = await folder.readJson('tokenizer.json');
    if (model === null || tokenizer === null)
      throw new EmbeddingError(
        `the folder of the model has no \`${model === null ? 'onnx/model.onnx' : 'tokenizer.json'}\``,
      );
    const json: ModelJson = {
      config: await folder.readJson('config.json'),
      tokenizerConfig: await folder.readJson('tokenizer_config.json'),
      sentenceConfig: await folder.readJson('sentence_bert_config.json'),
      pooling: await folder.readJson('1_Pooling/config.json'),
    };
    const parts = {
      tokenizer: openTokenizer(tokenizer, json, folder),
      pooling: tokenPoolingOf(pooling, json),
      usesOwnPooling: pooling === 'useModel',
      padding: paddingOf(json),
    };
    // Last, because nothing else frees the weights of an opened session.
    const session = await openOnnxSession(model);
    const unknown = session.inputNames.find((name) => INPUTS[name] === undefined);
    if (unknown !== undefined) {
      await session.release();
      throw new EmbeddingError(
        `the model asks for \`${unknown}\`; known are ${Object.keys(INPUTS).join(', ')}`,
      );
    }
    return new LocalModel(session, parts, performance.now() - beginMs);
  }

  /** Vectors of length 1, reported in any order; any number of texts. */
  embed(texts: readonly string[], signal: AbortSignal, onEmbedded: OnEmbedded): Promise<void> {
    return this.#call(this.#embedInRuns(texts, signal, onEmbedded));
  }

  /**
   * Scores of a cross-encoder, from 0 to 1, by number of the text.
   * @throws EmbeddingError when the model is none
   */
  score(query: string, texts: readonly string[], signal: AbortSignal): Promise<Float64Array> {
    return this.#call(this.#scoring.run(() => this.#scoreInRuns(query, texts, signal)));
  }

  async #call<Result>(call: Promise<Result>): Promise<Result> {
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  async #embedInRuns(
    texts: readonly string[],
    signal: AbortSignal,
    onEmbedded: OnEmbedded,
  ): Promise<void> {
    const tokens = texts.map((text) => this.#parts.tokenizer.encode(text));
    for (const at of runsOf(tokens, PLACES_MAX)) {
      signal.throwIfAborted();
      const run = at.map((n) => tokens[n] as Tokens);
      const vectors = await this.#runs.run(async () => this.#vectorsOf(await this.#run(run), run));
      await onEmbedded(at, vectors);
    }
  }

  async #scoreInRuns(
    query: string,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<Float64Array> {
    signal.throwIfAborted();
    const tokens = this.#parts.tokenizer.encodePairs(query, texts);
    const scores = new Float64Array(texts.length);
    for (const at of runsOf(tokens, SCORED_PLACES_MAX)) {
      // Messages that end the call arrive here: runs in WebAssembly block the thread.
      await setImmediate();
      signal.throwIfAborted();
      const outputs = await this.#runs.run(() => this.#run(at.map((n) => tokens[n] as Tokens)));
      const found = scoresOf(outputs, at.length);
      for (const [n, text] of at.entries()) scores[text] = found[n] ?? 0;
    }
    return scores;
  }

  /** Frees the model's memory after the running calls; no calls may follow. */
  async release(): Promise<void> {
    await Promise.allSettled(this.#calls);
    await this.#session.release();
  }

  async #run(texts: readonly Tokens[]): Promise<Outputs> {
    const places = Math.max(1, ...texts.map(({ ids }) => ids.length));
    const dims = [texts.length, places];
    const feeds = this.#session.inputNames.map((name) => {
      const value = INPUTS[name] as (typeof INPUTS)[string];
      const data = new BigInt64Array(texts.length * places);
      for (const [text, tokens] of texts.entries())
        for (let place = 0; place < places; place++)
          data[text * places + place] = BigInt(value(tokens, place, this.#parts.padding));
      return [name, this.#session.tensor(data, dims)] as const;
    });
    return this.#session.run(Object.fromEntries(feeds));
  }

  #vectorsOf(outputs: Outputs, texts: readonly Tokens[]): readonly Float32Array[] {
    const whole = outputs['sentence_embedding'];
    if (this.#parts.usesOwnPooling && whole !== undefined) {
      const values = floats(whole);
      const dimensions = whole.dims[1] ?? 0;
      return texts.map((_, text) =>
        toUnitLength(values.slice(text * dimensions, (text + 1) * dimensions)),
      );
    }
    const named = outputs['last_hidden_state'] ?? outputs['token_embeddings'];
    const tokens = named ?? Object.values(outputs).find(({ dims }) => dims.length === 3);
    if (tokens === undefined)
      throw new EmbeddingError('the model gives no vectors of tokens, which pooling needs');
    const [, places = 0, dimensions = 0] = tokens.dims;
    const vectors = { values: floats(tokens), places, dimensions };
    return texts.map(({ ids }, text) =>
      poolTokens(vectors, text, Math.max(1, ids.length), this.#parts.pooling),
    );
  }
}

/** The number of each pair, which a model has learnt with the logistic function. */
function scoresOf(outputs: Outputs, count: number): Float64Array {
  const logits = outputs['logits'] ?? Object.values(outputs)[0];
  const values = logits === undefined ? new Float32Array() : floats(logits);
  if (values.length !== count)
    throw new EmbeddingError(
      `the model gives ${values.length / count} numbers for a query and a text; a cross-encoder gives one`,
    );
  return Float64Array.from(values, (logit) => 1 / (1 + Math.exp(-logit)));
}

function openTokenizer(tokenizer: object, json: ModelJson, { path }: ModelFolder): TextTokenizer {
  try {
    return new TextTokenizer(tokenizer, (json.tokenizerConfig ?? {}) as object, tokensMaxOf(json));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new EmbeddingError(
      `\`tokenizer.json\` of the model cannot be used: ${message.replaceAll(path, '')}`,
    );
  }
}

/** Groups texts of similar length, so that little is computed for padding. */
function* runsOf(tokens: readonly Tokens[], placesMax: number): Generator<readonly number[]> {
  const lengthAt = (at: number): number => tokens[at]?.ids.length ?? 0;
  const order = [...tokens.keys()].sort((a, b) => lengthAt(a) - lengthAt(b));
  let run: number[] = [];
  for (const at of order) {
    const isFull = run.length === TEXTS_MAX || (run.length + 1) * lengthAt(at) > placesMax;
    if (isFull && run.length > 0) {
      yield run;
      run = [];
    }
    run.push(at);
  }
  if (run.length > 0) yield run;
}

function floats({ data }: OnnxTensor): Float32Array {
  if (data instanceof Float32Array) return data;
  throw new EmbeddingError('the model gives something else than 32-bit numbers');
}
