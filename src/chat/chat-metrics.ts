/** Chat metrics of a front: searches, and tokens by workspace and model. */
import { counter, type Labels, type Metric } from '../observability/metric.ts';
import type { TokenUsage } from './assistant-turn.ts';

/** Maximum pairs of workspace and model with separate counts; clients choose model names. */
const PAIRS_MAX = 200;
const NAME_CHARS_MAX = 100;
const OTHER = 'other';

interface Tokens {
  readonly labels: Labels;
  prompt: number;
  completion: number;
  total: number;
}

export class ChatMetrics {
  readonly #tokens = new Map<string, Tokens>();
  #searches = 0;

  searched(): void {
    this.#searches += 1;
  }

  /** @param model the client's name of the model */
  used(workspace: string, model: string, usage: TokenUsage): void {
    const tokens = this.#of(workspace, model.slice(0, NAME_CHARS_MAX));
    tokens.prompt += usage.prompt;
    tokens.completion += usage.completion;
    tokens.total += usage.total;
  }

  metrics(): Metric[] {
    const pairs = [...this.#tokens.values()];
    const by = (member: 'prompt' | 'completion' | 'total') =>
      pairs.map((tokens) => [tokens.labels, tokens[member]] as const);
    return [
      counter('meilisearch_chat_searches_total', 'Searches that chats have made', [
        [{ type: 'internal' }, this.#searches],
      ]),
      counter(
        'meilisearch_chat_prompt_tokens_total',
        'Tokens that chats have sent, as providers count them',
        by('prompt'),
      ),
      counter(
        'meilisearch_chat_completion_tokens_total',
        'Tokens that models have written in chats, as providers count them',
        by('completion'),
      ),
      counter(
        'meilisearch_chat_tokens_total',
        'Tokens of chats, as providers count them',
        by('total'),
      ),
    ];
  }

  #of(workspace: string, model: string): Tokens {
    const key = JSON.stringify([workspace, model]);
    const known = this.#tokens.get(key);
    if (known !== undefined) return known;
    if (this.#tokens.size >= PAIRS_MAX && model !== OTHER) return this.#of(OTHER, OTHER);
    const tokens = { labels: { workspace, model }, prompt: 0, completion: 0, total: 0 };
    this.#tokens.set(key, tokens);
    return tokens;
  }
}
