/** Downloads a model's missing files from a model hub. */
import { type OpenAnswer, type OpenRequest, wholeBody } from '../../http-client/outgoing-http.ts';
import { EmbeddingError } from '../embedder.ts';
import type { FileDigest, ModelFolder } from './model-folder.ts';

export interface ModelHub {
  /** Without a trailing slash. */
  readonly url: string;
  readonly open: OpenRequest;
}

/**
 * Files of a model. Required files come last: their presence means that the download is complete.
 */
const OPTIONAL_FILES = [
  'config.json',
  'tokenizer_config.json',
  'sentence_bert_config.json',
  '1_Pooling/config.json',
];
/** One file of each row. */
const NEEDED_FILES = [['tokenizer.json'], ['onnx/model.onnx', 'model.onnx']];
/** Weights that exceed the model file's size limit are in this file. */
const WEIGHTS_SUFFIX = '_data';

const LIST_MS_MAX = 60_000;
const FILE_MS_MAX = 3_600_000;
const LIST_BYTES_MAX = 16 << 20;
const FILE_BYTES_MAX = 16 * 1024 ** 3;

interface HubFile {
  readonly path: string;
  readonly size: number;
  /** Git's blob hash: a digest of the bytes with a header. */
  readonly oid: string;
  readonly lfs?: { readonly oid: string };
}

export const isComplete = (folder: ModelFolder): boolean =>
  NEEDED_FILES.every((names) => folder.find(names) !== null);

interface ModelDownload {
  readonly folder: ModelFolder;
  readonly model: string;
  /** null = the newest one. */
  readonly revision: string | null;
  readonly hub: ModelHub;
  readonly signal: AbortSignal;
}

/** @throws EmbeddingError, OutgoingError */
export async function downloadModel({
  folder,
  model,
  revision,
  hub,
  signal,
}: ModelDownload): Promise<void> {
  const at = encodeURIComponent(revision ?? 'main');
  const files = await listFiles(
    `${hub.url}/api/models/${model}/tree/${at}?recursive=true`,
    hub,
    signal,
  );
  const chosen = NEEDED_FILES.map((names) => {
    const name = names.find((candidate) => files.has(candidate));
    if (name !== undefined) return name;
    throw new EmbeddingError(
      `the model \`${model}\` of ${hub.url} has no file \`${names.join('` or `')}\`; only models in the form of ONNX can be used`,
    );
  });
  const weights = chosen.map((name) => `${name}${WEIGHTS_SUFFIX}`);
  for (const name of [...OPTIONAL_FILES, ...weights, ...chosen]) {
    const file = files.get(name);
    if (file === undefined || folder.find([name]) !== null) continue;
    const url = `${hub.url}/${model}/resolve/${at}/${name}`;
    await folder.write(name, digestOf(file), async (write) => {
      const options = { timeoutMs: FILE_MS_MAX, answerBytesMax: FILE_BYTES_MAX, signal };
      const answer = await hub.open({ method: 'GET', url, headers: {}, ...options });
      for await (const chunk of checked(answer, url)) await write(chunk);
    });
  }
}

async function listFiles(
  url: string,
  { open }: ModelHub,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, HubFile>> {
  const options = { timeoutMs: LIST_MS_MAX, answerBytesMax: LIST_BYTES_MAX, signal };
  const answer = await open({ method: 'GET', url, headers: {}, ...options });
  const body = await wholeBody(checked(answer, url));
  try {
    const files = JSON.parse(body.toString()) as readonly HubFile[];
    return new Map(files.map((file) => [file.path, file]));
  } catch {
    throw new EmbeddingError(`${url} answers no list of files`);
  }
}

/** Large files are identified by the digest of their bytes, small ones by git's blob hash. */
const digestOf = ({ size, oid, lfs }: HubFile): FileDigest =>
  lfs === undefined
    ? { algorithm: 'sha1', prefix: `blob ${size}\0`, hex: oid }
    : { algorithm: 'sha256', prefix: '', hex: lfs.oid };

async function* checked({ status, body }: OpenAnswer, url: string): AsyncGenerator<Buffer> {
  if (status === 200) return yield* body;
  await body.return(undefined);
  throw new EmbeddingError(`${url} answers ${status}`);
}
