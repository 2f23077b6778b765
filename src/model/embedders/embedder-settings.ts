/** Stored settings of an embedder, with the table of members by source. */
import type { ProviderField } from '../provider-check.ts';

export const VECTORS_FIELD = '_vectors';

export const EMBEDDER_SOURCES = [
  'openAi',
  'huggingFace',
  'ollama',
  'userProvided',
  'rest',
  'composite',
] as const;
export type EmbedderSource = (typeof EMBEDDER_SOURCES)[number];

/** How token vectors are combined to the vector of a text. */
export const POOLINGS = ['useModel', 'forceMean', 'forceCls'] as const;
export type Pooling = (typeof POOLINGS)[number];

/** JSON whose strings are Liquid templates. */
export interface Fragment {
  readonly value: unknown;
}

/** Mean and standard deviation of the similarities that the embedder gives to good matches. */
export interface Distribution {
  readonly mean: number;
  readonly sigma: number;
}

/** Members that do not apply to the source are absent. */
export interface EmbedderSettings {
  readonly source: EmbedderSource;
  readonly model?: string;
  readonly revision?: string;
  readonly pooling?: Pooling;
  readonly apiKey?: string;
  readonly dimensions?: number;
  readonly documentTemplate?: string;
  readonly documentTemplateMaxBytes?: number;
  readonly url?: string;
  readonly request?: unknown;
  readonly response?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly indexingFragments?: Readonly<Record<string, Fragment>>;
  readonly searchFragments?: Readonly<Record<string, Fragment>>;
  readonly searchEmbedder?: EmbedderSettings;
  readonly indexingEmbedder?: EmbedderSettings;
  readonly distribution?: Distribution;
  readonly binaryQuantized?: boolean;
}

export type EmbedderField = Exclude<keyof EmbedderSettings, 'source'>;

/** Members of a composite embedder that are embedders themselves. */
export const COMPOSITE_PARTS = ['searchEmbedder', 'indexingEmbedder'] as const;

/** An embedder of its own, or one of the two of a composite embedder. */
export type EmbedderPlace = 'whole' | (typeof COMPOSITE_PARTS)[number];

interface FieldRule extends ProviderField<EmbedderSource> {
  /** Places in which it is refused. */
  readonly notIn?: readonly EmbedderPlace[];
  /** Specific to the provider: removed when the source changes. */
  readonly ofProvider?: true;
}

const REMOTE: readonly EmbedderSource[] = ['openAi', 'ollama', 'rest'];
const TEMPLATED: readonly EmbedderSource[] = ['openAi', 'huggingFace', 'ollama', 'rest'];

export const EMBEDDER_FIELDS: Readonly<Record<EmbedderField, FieldRule>> = {
  model: {
    sources: ['openAi', 'huggingFace', 'ollama'],
    mandatoryFor: ['ollama'],
    ofProvider: true,
  },
  revision: { sources: ['huggingFace'], ofProvider: true },
  pooling: { sources: ['huggingFace'], ofProvider: true },
  apiKey: { sources: REMOTE, ofProvider: true },
  dimensions: {
    sources: ['openAi', 'ollama', 'userProvided', 'rest'],
    mandatoryFor: ['userProvided'],
    ofProvider: true,
  },
  documentTemplate: { sources: TEMPLATED, notIn: ['searchEmbedder'] },
  documentTemplateMaxBytes: { sources: TEMPLATED, notIn: ['searchEmbedder'] },
  url: { sources: REMOTE, mandatoryFor: ['rest'], ofProvider: true },
  request: { sources: ['rest'], mandatoryFor: ['rest'], ofProvider: true },
  response: { sources: ['rest'], mandatoryFor: ['rest'], ofProvider: true },
  headers: { sources: ['rest'], ofProvider: true },
  indexingFragments: {
    sources: ['rest'],
    notIn: ['searchEmbedder'],
    ofProvider: true,
  },
  searchFragments: {
    sources: ['rest'],
    notIn: ['indexingEmbedder'],
    ofProvider: true,
  },
  searchEmbedder: {
    sources: ['composite'],
    mandatoryFor: ['composite'],
    notIn: COMPOSITE_PARTS,
    ofProvider: true,
  },
  indexingEmbedder: {
    sources: ['composite'],
    mandatoryFor: ['composite'],
    notIn: COMPOSITE_PARTS,
    ofProvider: true,
  },
  distribution: { sources: EMBEDDER_SOURCES, notIn: COMPOSITE_PARTS },
  binaryQuantized: { sources: EMBEDDER_SOURCES, notIn: COMPOSITE_PARTS },
};

export const sourcesIn = (place: EmbedderPlace): readonly EmbedderSource[] =>
  place === 'whole' ? EMBEDDER_SOURCES : TEMPLATED;

/** One line `name: value` per searchable field with a value. */
export const DEFAULT_DOCUMENT_TEMPLATE =
  '{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}';
export const DEFAULT_TEMPLATE_BYTES_MAX = 400;

export const EMBEDDER_DEFAULTS: Readonly<Record<EmbedderSource, Partial<EmbedderSettings>>> = {
  openAi: { model: 'text-embedding-3-small', ...templateDefaults() },
  huggingFace: {
    model: 'BAAI/bge-base-en-v1.5',
    revision: '617ca489d9e86b49b8167676d8220688b99db36e',
    pooling: 'useModel',
    ...templateDefaults(),
  },
  ollama: templateDefaults(),
  userProvided: {},
  rest: templateDefaults(),
  composite: {},
};

function templateDefaults(): Partial<EmbedderSettings> {
  return {
    documentTemplate: DEFAULT_DOCUMENT_TEMPLATE,
    documentTemplateMaxBytes: DEFAULT_TEMPLATE_BYTES_MAX,
  };
}
