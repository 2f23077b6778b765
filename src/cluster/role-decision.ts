/**
 * Pure: what a node does next. Clocks decide when a node tries to write; which of several nodes
 * writes is decided by SlateDB, which closes every older writer.
 */
import type { WriterNote } from './writer-note.ts';

export interface RoleFacts {
  /** Launch option: writer = writes at once, reader = never writes, all = writes if no other does. */
  readonly role: 'writer' | 'reader' | 'all';
  readonly nodeId: string;
  readonly hasDatabase: boolean;
  /** As stored; null = none yet. */
  readonly writer: WriterNote | null;
  /** The previous process of this node wrote until another node replaced it. */
  readonly wasFenced: boolean;
  /** A node opens the database for writing, or has ended while it did. */
  readonly isBeingOpened: boolean;
  /** Milliseconds, by the clock of this process, since the store showed a write. */
  readonly silentMs: number;
  /** Silence after which a node of role `all` replaces the writer. */
  readonly takeoverMs: number;
}

/** wait: there is nothing to read yet, and this node does not write. */
export type RoleDecision = 'write' | 'follow' | 'wait';

export function decideRole(facts: RoleFacts): RoleDecision {
  const { role, nodeId, hasDatabase, writer, wasFenced, isBeingOpened } = facts;
  if (role === 'writer') return 'write';
  if (role === 'reader') return hasDatabase && writer !== null ? 'follow' : 'wait';
  if (!hasDatabase || writer === null || facts.silentMs >= facts.takeoverMs) return 'write';
  if (isBeingOpened) return 'follow';
  // An own note: the previous process of this node has ended, and it was the writer.
  const hasEnded = writer.hasStopped || (writer.nodeId === nodeId && !wasFenced);
  return hasEnded ? 'write' : 'follow';
}
