/** Texts to the numbers of their tokens, as `tokenizer.json` of a model says; cut to its length. */
import { createRequire } from 'node:module';

/** More is read from no text: what a token stands for is far shorter. */
const CHARS_PER_TOKEN_MAX = 64;

/** The part of the library that is used. */
interface Encoder {
  encode(text: string): { readonly ids: readonly number[] };
}
interface Library {
  readonly Tokenizer: new (tokenizer: object, config: object) => Encoder;
}

export class TextTokenizer {
  readonly #tokenizer: Encoder;
  readonly #tokensMax: number;
  /** What follows every text, such as `[SEP]`. */
  readonly #end: readonly number[];

  /**
   * @param tokenizer JSON of `tokenizer.json` @param config JSON of `tokenizer_config.json`
   * @param tokensMax of one text, with those that the model wants around it
   */
  constructor(tokenizer: object, config: object, tokensMax: number) {
    // Loaded with the first model, which most servers have none of.
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
