/**
 * Chat workspaces in the key-value store: ("chat", uid) → JSON of `ChatWorkspace`. Changes are
 * serialised, and durable when they resolve.
 */

import { compareCodePoints } from '../core/compare-text.ts';
import { ApiError } from '../core/errors.ts';
import { jsonBytes } from '../core/json.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import {
  type ChatWorkspace,
  changedWorkspace,
  chatNotFound,
  newWorkspace,
} from '../model/chat-workspace.ts';
import type { ChatWorkspaceUpdate } from '../model/schemas/chat-schema.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import type { Changed } from '../model/secret-origin.ts';
import { encodeKey, keyRange } from '../storage/database/key-encoding.ts';
import {
  del,
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../storage/database/key-value-store.ts';

/** JSON bytes of all workspaces together, which every front holds. */
const WORKSPACES_BYTES_MAX = 4 << 20;

const rowKey = (uid: string): Uint8Array => encodeKey('chat', uid);

export class ChatStore {
  readonly #store: KeyValueStore;
  #workspaces: ReadonlyMap<string, ChatWorkspace>;
  readonly #changes = new SerialQueue();

  private constructor(store: KeyValueStore, workspaces: ReadonlyMap<string, ChatWorkspace>) {
    this.#store = store;
    this.#workspaces = workspaces;
  }

  static async load(store: KeyValueStore): Promise<ChatStore> {
    const workspaces = new Map<string, ChatWorkspace>();
    for await (const { value } of store.iterate(keyRange('chat'))) {
      const workspace = readStored<ChatWorkspace>('chat workspace', value);
      workspaces.set(workspace.uid, workspace);
    }
    return new ChatStore(store, workspaces);
  }

  /** Durable workspaces in order of uid. */
  all(): ChatWorkspace[] {
    return [...this.#workspaces.values()].sort((a, b) => compareCodePoints(a.uid, b.uid));
  }

  /** Creates the workspace if it does not exist. Throws `ApiError`. */
  update(uid: string, change: ChatWorkspaceUpdate): Promise<Changed<ChatWorkspace>> {
    return this.#changes.run(async () => {
      const before = this.#workspaces.get(uid) ?? newWorkspace(uid);
      const changed = changedWorkspace(before, change);
      await this.#keep(changed.value);
      return changed;
    });
  }

  /** Throws `chat_not_found`. */
  reset(uid: string): Promise<ChatWorkspace> {
    return this.#changes.run(async () => {
      this.#require(uid);
      return this.#keep(newWorkspace(uid));
    });
  }

  /** Throws `chat_not_found`. */
  delete(uid: string): Promise<void> {
    return this.#changes.run(async () => {
      this.#require(uid);
      const after = new Map(this.#workspaces);
      after.delete(uid);
      await this.#write(del(rowKey(uid)), after);
    });
  }

  async #keep(workspace: ChatWorkspace): Promise<ChatWorkspace> {
    const after = new Map(this.#workspaces).set(workspace.uid, workspace);
    const bytes = Buffer.byteLength(JSON.stringify([...after.values()]));
    if (bytes > WORKSPACES_BYTES_MAX)
      throw new ApiError(
        'bad_request',
        `All chat workspaces together would take ${bytes} bytes; at most ${WORKSPACES_BYTES_MAX} are allowed. Shorten prompts or delete a workspace.`,
      );
    const value = jsonBytes(workspace);
    await this.#write(put(rowKey(workspace.uid), value), after);
    return workspace;
  }

  async #write(
    operation: WriteOperation,
    after: ReadonlyMap<string, ChatWorkspace>,
  ): Promise<void> {
    await this.#store.write([operation]);
    this.#workspaces = after;
  }

  #require(uid: string): void {
    if (!this.#workspaces.has(uid)) throw chatNotFound(uid);
  }
}
