/** A loaded model: texts in, vectors out. */

import { createRequire } from 'node:module';
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

/** Characters read of a text, far more than the tokens of a full input stand for. */
const CHARS_PER_TOKEN_MAX = 64;

/** The part of the library that is used. */
interface Encoder {
  encode(text: string): { readonly ids: readonly number[] };
}
interface Library {
  readonly Tokenizer: new (tokenizer: object, config: object) => Encoder;
}

class TextTokenizer {
  readonly #tokenizer: Encoder;
  readonly #tokensMax: number;
  /** The tokens appended to every text, such as `[SEP]`. */
  readonly #end: readonly number[];

  /**
   * @param tokenizer JSON of `tokenizer.json` @param config JSON of `tokenizer_config.json`
   * @param tokensMax of one text, special tokens included
   */
  constructor(tokenizer: object, config: object, tokensMax: number) {
    // Loaded with the first model, because most servers have none.
    const { Tokenizer } = createRequire(import.meta.url)('@huggingface/tokenizers') as Library;
    this.#tokenizer = new Tokenizer(tokenizer, config);
    this.#tokensMax = tokensMax;
    const around = this.#tokenizer.encode('').ids;
    const sample = this.#tokenizer.encode('a').ids;
    const begins = around.findIndex((id, at) => sample[at] !== id);
    this.#end = begins < 0 ? [] : around.slice(begins);
  }

  encode(text: string): readonly number[] {
    const { ids } = this.#tokenizer.encode(text.slice(0, this.#tokensMax * CHARS_PER_TOKEN_MAX));
    if (ids.length <= this.#tokensMax) return ids;
    return [...ids.slice(0, this.#tokensMax - this.#end.length), ...this.#end];
  }
}

/** Token vectors, text after text, each padded to the same number of positions. */
interface TokenVectors {
  readonly values: Float32Array;
  /** Positions per text. */
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
const TEXTS_MAX = 32;

/** Further inputs of models besides the token ids, with their value for each token. */
const INPUTS: Readonly<Record<string, (token: number, place: number, isToken: boolean) => number>> =
  {
    input_ids: (token) => token,
    attention_mask: (_, __, isToken) => (isToken ? 1 : 0),
    token_type_ids: () => 0,
    position_ids: (_, place) => place,
  };

type OnEmbedded = (at: readonly number[], vectors: readonly Float32Array[]) => Promise<void> | void;

export class LocalModel {
  readonly loaded: LoadedModel;
  readonly #session: OnnxSession;
  readonly #tokenizer: TextTokenizer;
  readonly #pooling: TokenPooling;
  readonly #usesOwnPooling: boolean;
  readonly #padding: number;
  /** The run under way: one at a time, because each uses all cores. */
  readonly #runs = new SerialQueue();
  /** Calls of `embed` that have not ended. */
  readonly #embedding = new Set<Promise<void>>();

  private constructor(
    session: OnnxSession,
    tokenizer: TextTokenizer,
    json: ModelJson,
    pooling: Pooling,
    milliseconds: number,
  ) {
    const { library, device } = session;
    this.loaded = { library, device, milliseconds };
    this.#session = session;
    this.#tokenizer = tokenizer;
    this.#pooling = tokenPoolingOf(pooling, json);
    this.#usesOwnPooling = pooling === 'useModel';
    this.#padding = paddingOf(json);
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
    const reader = openTokenizer(tokenizer, json, folder);
    const session = await openOnnxSession(model);
    const unknown = session.inputNames.find((name) => INPUTS[name] === undefined);
    if (unknown !== undefined)
      throw new EmbeddingError(
        `the model asks for \`${unknown}\`; known are ${Object.keys(INPUTS).join(', ')}`,
      );
    return new LocalModel(session, reader, json, pooling, performance.now() - beginMs);
  }

  /** Vectors of length 1, reported in any order; any number of texts. */
  async embed(
    texts: readonly string[],
    signal: AbortSignal,
    onEmbedded: OnEmbedded,
  ): Promise<void> {
    const embedding = this.#embedInRuns(texts, signal, onEmbedded);
    this.#embedding.add(embedding);
    try {
      await embedding;
    } finally {
      this.#embedding.delete(embedding);
    }
  }

  async #embedInRuns(
    texts: readonly string[],
    signal: AbortSignal,
    onEmbedded: OnEmbedded,
  ): Promise<void> {
    const tokens = texts.map((text) => this.#tokenizer.encode(text));
    for (const at of runsOf(tokens)) {
      signal.throwIfAborted();
      const vectors = await this.#runs.run(() => this.#run(at.map((n) => tokens[n] ?? [])));
      await onEmbedded(at, vectors);
    }
  }

  /** Frees the model's memory after the running calls; no calls may follow. */
  async release(): Promise<void> {
    await Promise.allSettled(this.#embedding);
    await this.#session.release();
  }

  async #run(texts: readonly (readonly number[])[]): Promise<readonly Float32Array[]> {
    const places = Math.max(1, ...texts.map(({ length }) => length));
    const dims = [texts.length, places];
    const feeds = this.#session.inputNames.map((name) => {
      const value = INPUTS[name] as (typeof INPUTS)[string];
      const data = new BigInt64Array(texts.length * places);
      for (const [text, tokens] of texts.entries())
        for (let place = 0; place < places; place++) {
          const token = tokens[place];
          const given = value(token ?? this.#padding, place, token !== undefined);
          data[text * places + place] = BigInt(given);
        }
      return [name, this.#session.tensor(data, dims)] as const;
    });
    const outputs = await this.#session.run(Object.fromEntries(feeds));
    return this.#vectorsOf(outputs, texts);
  }

  #vectorsOf(
    outputs: Readonly<Record<string, OnnxTensor>>,
    texts: readonly (readonly number[])[],
  ): readonly Float32Array[] {
    const whole = outputs['sentence_embedding'];
    if (this.#usesOwnPooling && whole !== undefined) {
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
    return texts.map(({ length }, text) =>
      poolTokens(vectors, text, Math.max(1, length), this.#pooling),
    );
  }
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
function* runsOf(tokens: readonly (readonly number[])[]): Generator<readonly number[]> {
  const order = [...tokens.keys()].sort((a, b) => lengthAt(tokens, a) - lengthAt(tokens, b));
  let run: number[] = [];
  for (const at of order) {
    const isFull = run.length === TEXTS_MAX || (run.length + 1) * lengthAt(tokens, at) > PLACES_MAX;
    if (isFull && run.length > 0) {
      yield run;
      run = [];
    }
    run.push(at);
  }
  if (run.length > 0) yield run;
}

const lengthAt = (tokens: readonly (readonly number[])[], at: number): number =>
  tokens[at]?.length ?? 0;

function floats({ data }: OnnxTensor): Float32Array {
  if (data instanceof Float32Array) return data;
  throw new EmbeddingError('the model gives something else than 32-bit numbers');
}
