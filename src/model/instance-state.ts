/** Small state of the instance, which every front has a copy of. */
import type { Alias } from './alias.ts';
import type { ChatWorkspace } from './chat-workspace.ts';
import type { Features } from './features.ts';
import type { Network } from './network.ts';

export interface InstanceState {
  readonly features: Features;
  readonly network: Network;
  /** All aliases by ascending name. */
  readonly aliases: readonly Alias[];
  /** All chat workspaces by ascending uid, with their secrets. */
  readonly chats: readonly ChatWorkspace[];
}
