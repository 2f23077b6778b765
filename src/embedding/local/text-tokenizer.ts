/** The tokenizer of a model: texts, and pairs of a query and a text, as numbers of tokens. */
import { createRequire } from 'node:module';
import { EmbeddingError } from '../embedder.ts';

/** Characters read of a text, far more than the tokens of a full input stand for. */
const CHARS_PER_TOKEN_MAX = 64;

export interface Tokens {
  readonly ids: readonly number[];
  /** 1 for the tokens of the second text of a pair; absent = 0 for all. */
  readonly types?: readonly number[];
}

interface Encoder {
  encode(
    text: string,
    options?: {
      readonly text_pair?: string;
      readonly add_special_tokens?: boolean;
      readonly return_token_type_ids?: boolean;
    },
  ): { readonly ids: readonly number[]; readonly token_type_ids?: readonly number[] };
}
interface Library {
  readonly Tokenizer: new (tokenizer: object, config: object) => Encoder;
}

/** The special tokens around the two texts of a pair, and the types of the texts. */
interface PairForm {
  readonly before: Required<Tokens>;
  readonly between: Required<Tokens>;
  readonly after: Required<Tokens>;
  readonly types: readonly [first: number, second: number];
}

/** A short text, to learn where texts stand among special tokens. */
const SAMPLE = 'a';

export class TextTokenizer {
  readonly #tokenizer: Encoder;
  readonly #tokensMax: number;
  /** The tokens appended to every text, such as `[SEP]`. */
  readonly #end: readonly number[];
  #pairForm: PairForm | null = null;

  /**
   * @param tokenizer JSON of `tokenizer.json` @param config JSON of `tokenizer_config.json`
   * @param tokensMax of one text or pair, special tokens included
   */
  constructor(tokenizer: object, config: object, tokensMax: number) {
    // Loaded with the first model, because most servers have none.
    const { Tokenizer } = createRequire(import.meta.url)('@huggingface/tokenizers') as Library;
    this.#tokenizer = new Tokenizer(tokenizer, config);
    this.#tokensMax = tokensMax;
    const around = this.#tokenizer.encode('').ids;
    const sample = this.#tokenizer.encode(SAMPLE).ids;
    const begins = around.findIndex((id, at) => sample[at] !== id);
    this.#end = begins < 0 ? [] : around.slice(begins);
  }

  encode(text: string): Tokens {
    const { ids } = this.#tokenizer.encode(this.#start(text));
    if (ids.length <= this.#tokensMax) return { ids };
    return { ids: [...ids.slice(0, this.#tokensMax - this.#end.length), ...this.#end] };
  }

  /**
   * The query with each of the texts. The end of a text is cut off where a pair is too long, and that
   * of a query which takes more than half of the tokens.
   * @throws EmbeddingError when the tokenizer has no form for pairs
   */
  encodePairs(query: string, texts: readonly string[]): Tokens[] {
    this.#pairForm ??= pairFormOf(this.#tokenizer);
    const { before, between, after, types } = this.#pairForm;
    const special = [before, between, after].reduce((sum, { ids }) => sum + ids.length, 0);
    const room = Math.max(0, this.#tokensMax - special);
    const first = typed(this.#bare(query).slice(0, Math.floor(room / 2)), types[0]);
    return texts.map((text) => {
      const second = typed(this.#bare(text).slice(0, room - first.ids.length), types[1]);
      const parts = [before, first, between, second, after];
      return {
        ids: parts.flatMap(({ ids }) => ids),
        types: parts.flatMap((part) => part.types),
      };
    });
  }

  #bare(text: string): readonly number[] {
    return this.#tokenizer.encode(this.#start(text), { add_special_tokens: false }).ids;
  }

  #start(text: string): string {
    return text.slice(0, this.#tokensMax * CHARS_PER_TOKEN_MAX);
  }
}

const typed = (ids: readonly number[], type: number): Required<Tokens> => ({
  ids,
  types: ids.map(() => type),
});

function pairFormOf(tokenizer: Encoder): PairForm {
  const { ids: sample } = tokenizer.encode(SAMPLE, { add_special_tokens: false });
  const pair = tokenizer.encode(SAMPLE, { text_pair: SAMPLE, return_token_type_ids: true });
  const types = pair.token_type_ids ?? pair.ids.map(() => 0);
  const first = placeOf(sample, pair.ids, 0);
  const second = first < 0 ? -1 : placeOf(sample, pair.ids, first + sample.length);
  if (sample.length === 0 || second < 0)
    throw new EmbeddingError('`tokenizer.json` of the model has no form for pairs of texts');
  const part = (begin: number, end?: number): Required<Tokens> => ({
    ids: pair.ids.slice(begin, end),
    types: types.slice(begin, end),
  });
  return {
    before: part(0, first),
    between: part(first + sample.length, second),
    after: part(second + sample.length),
    types: [types[first] ?? 0, types[second] ?? 0],
  };
}

/** Where the numbers begin; -1 = nowhere. */
const placeOf = (wanted: readonly number[], ids: readonly number[], from: number): number =>
  ids.findIndex((_, at) => at >= from && wanted.every((id, n) => ids[at + n] === id));
