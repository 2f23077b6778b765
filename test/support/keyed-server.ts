/** The shared server, called with the master key or with another key or token. */
import { generateTenantToken } from 'meilisearch/token';
import { sendJson } from './http-request.ts';
import { MASTER_KEY, type SharedServer, sharedServer } from './shared-server.ts';
import { until } from './until.ts';

interface JsonAnswer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

export class KeyedServer {
  readonly #server: SharedServer;

  private constructor(server: SharedServer) {
    this.#server = server;
  }

  static async shared(): Promise<KeyedServer> {
    return new KeyedServer(await sharedServer());
  }

  async as(key: string, method: string, path: string, body?: unknown): Promise<JsonAnswer> {
    const options = body === undefined ? { headers: {} } : sendJson(body);
    const headers = { ...options.headers, authorization: `Bearer ${key}` };
    const { status, json } = await this.#server.call(method, path, { ...options, headers });
    return { status, json: json as Record<string, unknown> };
  }

  /** With the master key. */
  ask(method: string, path: string, body?: unknown): Promise<JsonAnswer> {
    return this.as(MASTER_KEY, method, path, body);
  }

  /** Enqueues a task and waits for its end. */
  async finished(method: string, path: string, body: unknown): Promise<void> {
    const { taskUid } = (await this.ask(method, path, body)).json;
    await until(`end of task ${taskUid}`, async () => {
      const { json } = await this.ask('GET', `/tasks/${taskUid}`);
      return json['finishedAt'] === null ? null : json;
    });
  }

  /** A tenant token of a new key that may search all indexes. */
  async tokenFor(searchRules: Record<string, { filter: string } | null>): Promise<string> {
    const { json } = await this.ask('POST', '/keys', {
      indexes: ['*'],
      actions: ['search'],
      expiresAt: null,
    });
    const { uid, key } = json as { uid: string; key: string };
    return generateTenantToken({ apiKey: key, apiKeyUid: uid, searchRules });
  }
}
