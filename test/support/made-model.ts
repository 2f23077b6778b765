/** Tiny models in the form of ONNX, with a tokenizer of whole words, and what it comes to. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DIMENSIONS = 3;
const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'the', 'sea', 'ship', 'storm', 'quiet'];

/** The vector that the model has for a token. */
const tokenVector = (token: number): number[] => [
  Math.sin(token + 1),
  Math.cos(token * 2),
  token / 10 - 0.3,
];

const tokensOf = (text: string, tokensMax: number): number[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const tokens = words.map((word) => Math.max(1, WORDS.indexOf(word)));
  return [2, ...tokens.slice(0, tokensMax - 2), 3];
};

/** By a plain calculation. */
export function madeModelVector(text: string, pooling: 'cls' | 'mean', tokensMax = 16): number[] {
  const tokens = tokensOf(text, tokensMax);
  const rows = (pooling === 'cls' ? tokens.slice(0, 1) : tokens).map(tokenVector);
  const sums = Array.from({ length: DIMENSIONS }, (_, at) =>
    rows.reduce((sum, row) => sum + (row[at] ?? 0), 0),
  );
  const length = Math.hypot(...sums);
  return sums.map((sum) => sum / length);
}

/** What the cross-encoder adds for a token, by the text of the pair that holds it. */
const tokenLogit = (token: number): number => (token === 0 ? 99 : Math.sin(token * 3));
const TYPE_WEIGHTS = [0.25, 1];

/** The score of a pair that the cross-encoder takes whole, by a plain calculation. */
export function madePairScore(query: string, text: string, tokensMax = 16): number {
  const room = tokensMax - 3;
  const bare = (part: string) => tokensOf(part, Number.POSITIVE_INFINITY).slice(1, -1);
  const first = bare(query).slice(0, Math.floor(room / 2));
  const second = bare(text).slice(0, room - first.length);
  const sum = (tokens: readonly number[]) =>
    tokens.reduce((total, token) => total + tokenLogit(token), 0);
  const [own = 0, other = 0] = TYPE_WEIGHTS;
  const logit = own * sum([2, ...first, 3]) + other * sum([...second, 3]);
  return 1 / (1 + Math.exp(-logit));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** Fields of a Protocol Buffers message. */
const number = (field: number, value: number): Buffer =>
  Buffer.concat([varint(field * 8), varint(value)]);
const bytes = (field: number, ...values: readonly (Buffer | string)[]): Buffer => {
  const value = Buffer.concat(values.map((part) => Buffer.from(part)));
  return Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);
};

const FLOAT = 1;
const INT64 = 7;

const valueInfo = (field: number, name: string, type: number, dims: readonly string[]): Buffer => {
  const shape = dims.map((dim) => bytes(1, bytes(2, dim)));
  return bytes(field, bytes(1, name), bytes(2, bytes(1, number(1, type), bytes(2, ...shape))));
};

/** `last_hidden_state` is the row of each token in a table. */
function onnxModel(): Buffer {
  const rows = Float32Array.from(WORDS.flatMap((_, token) => tokenVector(token)));
  const table = [number(1, WORDS.length), number(1, DIMENSIONS), number(2, FLOAT)];
  const graph = bytes(
    7,
    bytes(
      1,
      bytes(1, 'table'),
      bytes(1, 'input_ids'),
      bytes(2, 'last_hidden_state'),
      bytes(4, 'Gather'),
    ),
    bytes(2, 'made'),
    bytes(5, ...table, bytes(8, 'table'), bytes(9, Buffer.from(rows.buffer))),
    ...['input_ids', 'attention_mask', 'token_type_ids'].map((name) =>
      valueInfo(11, name, INT64, ['batch', 'tokens']),
    ),
    valueInfo(12, 'last_hidden_state', FLOAT, ['batch', 'tokens', 'dimensions']),
  );
  return Buffer.concat([number(1, 8), graph, bytes(8, number(2, 13))]);
}

const tensor = (name: string, type: number, dims: readonly number[], raw: Buffer): Buffer => {
  const sizes = dims.map((size) => number(1, size));
  return bytes(5, ...sizes, number(2, type), bytes(8, name), bytes(9, raw));
};

const node = (kind: string, inputs: readonly string[], output: string, ...rest: Buffer[]): Buffer =>
  bytes(1, ...inputs.map((input) => bytes(1, input)), bytes(2, output), bytes(4, kind), ...rest);

const INTEGER_ATTRIBUTE = 2;
const attribute = (name: string, value: number): Buffer =>
  bytes(5, bytes(1, name), number(3, value), number(20, INTEGER_ATTRIBUTE));

/** `logits`: the sum over the tokens that count, each with the weight of its text. */
function onnxCrossEncoder(): Buffer {
  const floats = (values: readonly number[]) => Buffer.from(Float32Array.from(values).buffer);
  const one = Buffer.from(BigInt64Array.of(1n).buffer);
  const graph = bytes(
    7,
    node('Gather', ['values', 'input_ids'], 'value'),
    node('Gather', ['weights', 'token_type_ids'], 'weight'),
    node('Gather', ['masks', 'attention_mask'], 'mask'),
    node('Mul', ['value', 'weight'], 'weighted'),
    node('Mul', ['weighted', 'mask'], 'counted'),
    node('ReduceSum', ['counted', 'axis'], 'logits', attribute('keepdims', 1)),
    bytes(2, 'made'),
    tensor('values', FLOAT, [WORDS.length], floats(WORDS.map((_, token) => tokenLogit(token)))),
    tensor('weights', FLOAT, [2], floats(TYPE_WEIGHTS)),
    tensor('masks', FLOAT, [2], floats([0, 1])),
    tensor('axis', INT64, [1], one),
    ...['input_ids', 'attention_mask', 'token_type_ids'].map((name) =>
      valueInfo(11, name, INT64, ['batch', 'tokens']),
    ),
    valueInfo(12, 'logits', FLOAT, ['batch', 'one']),
  );
  return Buffer.concat([number(1, 8), graph, bytes(8, number(2, 13))]);
}

const special = (token: number, type_id = 0) => ({ SpecialToken: { id: WORDS[token], type_id } });
const TOKENIZER = {
  version: '1.0',
  added_tokens: [0, 1, 2, 3].map((id) => ({ id, content: WORDS[id], special: true })),
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [special(2), { Sequence: { id: 'A', type_id: 0 } }, special(3)],
    pair: [
      ...[special(2), { Sequence: { id: 'A', type_id: 0 } }, special(3)],
      ...[{ Sequence: { id: 'B', type_id: 1 } }, special(3, 1)],
    ],
    special_tokens: Object.fromEntries(
      [2, 3].map((id) => [WORDS[id], { id: WORDS[id], ids: [id], tokens: [WORDS[id]] }]),
    ),
  },
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};

/** By path. The model pools by its first token unless configured otherwise. */
export const madeModelFiles = (tokensMax = 16): Readonly<Record<string, Buffer>> => {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  return {
    'config.json': json({
      model_type: 'bert',
      pad_token_id: 0,
      max_position_embeddings: tokensMax,
    }),
    'tokenizer.json': json(TOKENIZER),
    '1_Pooling/config.json': json({ pooling_mode_cls_token: true }),
    'onnx/model.onnx': onnxModel(),
  };
};

/** A cross-encoder with the same tokenizer. */
export const madeCrossEncoderFiles = (tokensMax = 16): Readonly<Record<string, Buffer>> => ({
  ...madeModelFiles(tokensMax),
  'onnx/model.onnx': onnxCrossEncoder(),
});

export function writeModel(folder: string, files = madeModelFiles()): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
