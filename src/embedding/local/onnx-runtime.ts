/**
 * The library that runs ONNX models, loaded with the first model. Two libraries are supported.
 * Neither is a dependency of the server, because of their size; the first one installed is used.
 */

import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { EmbeddingError } from '../embedder.ts';

export type Device = 'cpu' | 'cuda' | 'coreml' | 'dml';

export interface OnnxTensor {
  readonly dims: readonly number[];
  readonly data: unknown;
}

type Tensors = Readonly<Record<string, OnnxTensor>>;

interface LibrarySession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Tensors): Promise<Tensors>;
  release(): Promise<void>;
}

/** The common interface of both libraries. */
interface Library {
  readonly InferenceSession: {
    create(path: string, options: object): Promise<LibrarySession>;
  };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => OnnxTensor;
  readonly env: { logLevel?: string };
  listSupportedBackends?(): readonly { readonly name: string }[];
}

export interface OnnxSession extends Pick<LibrarySession, 'inputNames' | 'outputNames' | 'run'> {
  readonly library: string;
  readonly device: Device;
  tensor(data: BigInt64Array, dims: readonly number[]): OnnxTensor;
  release(): Promise<void>;
}

/** The native library first: it is several times as fast and can use a GPU. */
const LIBRARIES = ['onnxruntime-node', 'onnxruntime-web'];

/** Errors are thrown as well; the message about a missing GPU is not an error. */
const LOG_FATAL = 4;

/** The GPU backend of the native library on each platform. */
const GPUS: Readonly<Record<string, Device>> = { linux: 'cuda', darwin: 'coreml', win32: 'dml' };

/**
 * Runs on the GPU if there is one.
 * @param path of an ONNX file
 * @throws EmbeddingError when no library is installed or the model cannot be opened
 */
export async function openOnnxSession(path: string): Promise<OnnxSession> {
  const [name, library] = loadLibrary();
  const { Tensor } = library;
  for (const device of devicesOf(library)) {
    try {
      const providers = device === 'cpu' ? ['cpu'] : [device, 'cpu'];
      const options = { executionProviders: providers, logSeverityLevel: LOG_FATAL };
      const session = await library.InferenceSession.create(path, options);
      return {
        library: name,
        device,
        inputNames: session.inputNames,
        outputNames: session.outputNames,
        run: (feeds) => session.run(feeds),
        tensor: (data, dims) => new Tensor('int64', data, dims),
        release: () => session.release(),
      };
    } catch (error) {
      if (device !== 'cpu') continue;
      throw new EmbeddingError(
        `${name} cannot open \`${basename(path)}\`: ${messageOf(error).replaceAll(path, basename(path))}`,
      );
    }
  }
  throw new Error('there is always a CPU');
}

function devicesOf(library: Library): readonly Device[] {
  const gpu = GPUS[process.platform];
  const names = library.listSupportedBackends?.().map(({ name }) => name) ?? [];
  return gpu !== undefined && names.includes(gpu) ? [gpu, 'cpu'] : ['cpu'];
}

function loadLibrary(): readonly [name: string, Library] {
  const require = createRequire(import.meta.url);
  for (const name of LIBRARIES) {
    try {
      const library = require(name) as Library;
      library.env.logLevel = 'fatal';
      return [name, library];
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'MODULE_NOT_FOUND')
        throw new EmbeddingError(`the package ${name} cannot be loaded: ${messageOf(error)}`);
    }
  }
  throw new EmbeddingError(
    'local models need the package onnxruntime-node or onnxruntime-web next to this server: `npm install --no-save onnxruntime-node`',
  );
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
