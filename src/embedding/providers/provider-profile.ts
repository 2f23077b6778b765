/** HTTP request formats of each provider: one builder per source, from its settings alone. */

import { ofSetting, RequestShape, ResponseShape, ShapeError } from '../../core/rest-shape.ts';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import { openAiModel } from '../../model/embedders/openai-models.ts';

export interface ProviderProfile {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey: string | null;
  readonly request: RequestShape;
  readonly response: ResponseShape;
  /** Of one request, at least 1. */
  readonly inputsMax: number;
  /** null = the first response tells. */
  readonly dimensions: number | null;
}

/** Where the environment completes the settings. */
export interface ProviderDefaults {
  /** For requests to `openAiUrl` alone. */
  readonly openAiApiKey: string | null;
  readonly openAiUrl: string;
  readonly ollamaUrl: string;
}

/** Placeholder of a vector in responses. */
const VECTOR = '{{embedding}}';

/** OpenAI accepts 2,048; fewer keep responses small and lose less when one fails. */
const OPENAI_INPUTS_MAX = 256;
/** Accepted by common servers in their default configuration. */
const REST_INPUTS_MAX = 32;

type ProfileBuilder = (settings: EmbedderSettings, defaults: ProviderDefaults) => ProviderProfile;

/** Throw `ShapeError` when `request` and `response` do not match. */
export const profiles = {
  openAi: (settings, { openAiApiKey, openAiUrl }) => {
    const { model = '', dimensions, url = openAiUrl } = settings;
    // Any client that may change settings can point the URL to its own server, so the operator's
    // key is never sent to it.
    const { apiKey = isSameUrl(url, openAiUrl) ? openAiApiKey : null } = settings;
    const asked = dimensions !== undefined && openAiModel(model)?.isReducible ? { dimensions } : {};
    return {
      url,
      ...authorization(apiKey),
      request: new RequestShape({ model, ...asked, input: ['{{text}}', '{{..}}'] }, '{{text}}'),
      response: new ResponseShape({ data: [{ embedding: VECTOR }, '{{..}}'] }, VECTOR),
      inputsMax: OPENAI_INPUTS_MAX,
      dimensions: dimensions ?? openAiModel(model)?.dimensions ?? null,
    };
  },
  ollama: ({ model = '', dimensions, url, apiKey = null }, { ollamaUrl }) => {
    const target = url ?? ollamaUrl;
    // The older of its two routes takes one text.
    const isSingle = /\/api\/embeddings\/?$/.test(target);
    const request = isSingle
      ? { model, prompt: '{{text}}' }
      : { model, input: ['{{text}}', '{{..}}'] };
    const response = isSingle ? { embedding: VECTOR } : { embeddings: [VECTOR, '{{..}}'] };
    return {
      url: target,
      ...authorization(apiKey),
      request: new RequestShape(request, '{{text}}'),
      response: new ResponseShape(response, VECTOR),
      inputsMax: isSingle ? 1 : REST_INPUTS_MAX,
      dimensions: dimensions ?? null,
    };
  },
  rest: (settings) => {
    const { url = '', apiKey = null, headers = {}, dimensions = null } = settings;
    const { request, response } = restShapes(settings);
    return {
      url,
      headers: { ...authorization(apiKey).headers, ...lowerCased(headers) },
      apiKey,
      request,
      response,
      inputsMax: request.takesMany ? REST_INPUTS_MAX : 1,
      dimensions,
    };
  },
} satisfies Record<string, ProfileBuilder>;

const isSameUrl = (a: string, b: string): boolean =>
  URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href;

const hasFragments = ({ indexingFragments = {}, searchFragments = {} }: EmbedderSettings) =>
  Object.keys(indexingFragments).length + Object.keys(searchFragments).length > 0;

/** @throws ShapeError whose message begins with the name of the setting */
export function restShapes(settings: EmbedderSettings): {
  readonly request: RequestShape;
  readonly response: ResponseShape;
} {
  const placeholder = hasFragments(settings) ? '{{fragment}}' : '{{text}}';
  const request = ofSetting('request', () => new RequestShape(settings.request, placeholder));
  const response = ofSetting('response', () => new ResponseShape(settings.response, VECTOR));
  if (request.takesMany !== response.givesMany)
    throw new ShapeError('`request` and `response` must both have `"{{..}}"` or neither');
  return { request, response };
}

const authorization = (apiKey: string | null) => ({
  apiKey,
  headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` },
});

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
