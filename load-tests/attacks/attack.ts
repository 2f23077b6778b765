/**
 * The contract of attack scripts. Each other file of this folder is one attack and exports it as
 * `attack`; `npm run test:long` finds and runs all of them, `npm test` the short ones.
 */

export interface Attack {
  /** A short name, such as "long highlight tags". */
  readonly name: string;
  /** One sentence: the requests that the attack sends. */
  readonly sends: string;
  /** Whether `npm test` runs the attack too; it takes at most a few seconds then. */
  readonly short: boolean;
  /** Launch options of the server besides the defaults. */
  readonly serverOptions?: readonly string[];
  /** Actions of the attacker's key; by default `search` alone. The key covers the index `texts`. */
  readonly actions?: readonly string[];
  /** Anonymous memory of the front above its value before the attack, at most; by default 1 GiB. */
  readonly frontGrowthBytesMax?: number;
  /** Sends everything. @returns the promises that the server broke, one sentence each */
  run(target: AttackTarget): Promise<readonly string[]>;
}

/** A server with 20,000 documents `{ id, text }` in the index `texts`. */
export interface AttackTarget {
  readonly port: number;
  /** The attacker's key. */
  readonly key: string;
  readonly masterKey: string;
  /** True in `npm test`: the attack sends less and judges no times. */
  readonly isShort: boolean;
  /** Sends one request with the attacker's key. */
  send(request: AttackRequest): Promise<AttackAnswer>;
  /** Sends a write and reads its task with the master key. @returns the ended task as JSON */
  settle(request: AttackRequest): Promise<string>;
}

export interface AttackRequest {
  /** Default: POST with a body, GET without. */
  readonly method?: string;
  readonly path: string;
  /** Bytes and strings are sent unchanged, all other values as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the attacker's key; null sends none. */
  readonly key?: string | null;
  /** Closes the connection when it fires; the answer has status 0 then. */
  readonly signal?: AbortSignal;
}

export interface AttackAnswer {
  /** 0 = the connection ended without an answer. */
  readonly status: number;
  /** `code` of an error answer; empty otherwise. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Length of the body. */
  readonly bytes: number;
  /** The first MiB of the body. */
  readonly text: string;
  /** From sending to the last byte. */
  readonly ms: number;
}
