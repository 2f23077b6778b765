/** The models of a thread: loaded on first use, few at a time. */
import { LRUCache } from 'lru-cache';
import { OutgoingError } from '../../http-client/outgoing-error.ts';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import { EmbeddingError } from '../embedder.ts';
import { type LoadedModel, LocalModel } from './local-model.ts';
import { downloadModel, isComplete, type ModelHub } from './model-download.ts';
import type { OpenModelFolder } from './model-folder.ts';

interface LocalModelsOptions {
  readonly openFolder: OpenModelFolder;
  /** Where missing files are downloaded; null = downloads are off. */
  readonly hub: ModelHub | null;
  readonly onLoaded: (model: string, loaded: LoadedModel) => void;
}

/**
 * Loaded models, each with its weights in memory. An evicted model keeps its memory until its
 * running calls end.
 */
const LOADED_MAX = 2;
/** Of all files of a model. */
const DOWNLOAD_MS_MAX = 6 * 3_600_000;

export class LocalModels {
  readonly #options: LocalModelsOptions;
  readonly #models = new LRUCache<string, Promise<LocalModel>, EmbedderSettings>({
    max: LOADED_MAX,
    memoMethod: (key, _stale, { context }) => {
      const loading = this.#load(context);
      // A failed load is tried again.
      loading.catch(() => this.#models.delete(key));
      return loading;
    },
    dispose: (model) => {
      // A model that failed to load holds no memory.
      model.then((loaded) => loaded.release()).catch(() => undefined);
    },
  });

  constructor(options: LocalModelsOptions) {
    this.#options = options;
  }

  /** Concurrent callers share the loading. Rejects with `EmbeddingError`. */
  get(settings: EmbedderSettings): Promise<LocalModel> {
    const { model = '', revision, pooling } = settings;
    const key = JSON.stringify([model, revision, pooling]);
    return this.#models.memo(key, { context: settings });
  }

  async #load({ model = '', pooling = 'useModel', ...settings }: EmbedderSettings) {
    const { openFolder, hub, onLoaded } = this.#options;
    const revision = settings.revision ?? null;
    const folder = openFolder(model, revision);
    if (!isComplete(folder)) {
      if (hub === null)
        throw new EmbeddingError(
          `the folder \`${model}\` of \`--model-dir\` does not hold the model, of which it must hold \`tokenizer.json\` and \`onnx/model.onnx\`; \`--allow-model-downloads\` fetches them`,
        );
      const signal = AbortSignal.timeout(DOWNLOAD_MS_MAX);
      await fetched(downloadModel({ folder, model, revision, hub, signal }));
    }
    const loaded = await LocalModel.load(folder, pooling);
    onLoaded(model, loaded.loaded);
    return loaded;
  }
}

async function fetched(download: Promise<void>): Promise<void> {
  try {
    await download;
  } catch (error) {
    if (error instanceof OutgoingError) throw new EmbeddingError(error.message);
    throw error;
  }
}
