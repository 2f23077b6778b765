/** Small state of the instance, which every front has a copy of. */
import type { Alias } from './alias.ts';
import type { ChatWorkspace } from './chat-workspace.ts';
import type { Features } from './features.ts';
import type { Network } from './network.ts';

export interface InstanceState {
  /** Experimental features. */
  readonly features: Features;
  /** Remote instances that searches may query. */
  readonly network: Network;
  /** All aliases by ascending name. */
  readonly aliases: readonly Alias[];
  /** All chat workspaces by ascending uid, with their secrets. */
  readonly chats: readonly ChatWorkspace[];
}
