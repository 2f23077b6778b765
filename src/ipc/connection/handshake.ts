/**
 * The first two messages in each direction of a connection between front and indexer: both name
 * their protocol version and a nonce, then both prove that they hold the same secret without
 * sending it.
 *
 *   {v, c}   protocol version, nonce of the sender
 *   {p}      HMAC-SHA-256 under the secret of: side of the sender, nonce of the front, nonce of the
 *            indexer. The side keeps a proof from being sent back as the other's own.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ProtocolError } from './frames.ts';
import { PROTOCOL_VERSION } from './indexer-protocol.ts';

export type Side = 'front' | 'indexer';

export interface HandshakeMessage {
  readonly v?: number;
  readonly c?: string;
  readonly p?: string;
}

const NONCE_BYTES = 24;
const OTHER: Readonly<Record<Side, Side>> = { front: 'indexer', indexer: 'front' };

export class Handshake {
  readonly #side: Side;
  readonly #secret: string;
  readonly #nonce: string;
  #otherNonce: string | null = null;
  #isDone = false;

  constructor(side: Side, secret: string, nonce = randomBytes(NONCE_BYTES).toString('base64url')) {
    this.#side = side;
    this.#secret = secret;
    this.#nonce = nonce;
  }

  /** The peer has proved that it holds the secret. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The message to send before any was received. */
  get hello(): HandshakeMessage {
    return { v: PROTOCOL_VERSION, c: this.#nonce };
  }

  /** The message to send in reply, or none. Throws `ProtocolError` when the connection must end. */
  receive(message: HandshakeMessage): HandshakeMessage | null {
    if (this.#otherNonce === null) {
      this.#otherNonce = nonceOf(message);
      return { p: this.#proofOf(this.#side).toString('base64url') };
    }
    const proof = Buffer.from(String(message.p), 'base64url');
    const expected = this.#proofOf(OTHER[this.#side]);
    if (proof.length !== expected.length || !timingSafeEqual(proof, expected))
      throw new ProtocolError('the other side does not hold the same secret');
    this.#isDone = true;
    return null;
  }

  #proofOf(side: Side): Buffer {
    const own = this.#nonce;
    const other = this.#otherNonce;
    const [front, indexer] = this.#side === 'front' ? [own, other] : [other, own];
    return createHmac('sha256', this.#secret).update(`${side}\n${front}\n${indexer}`).digest();
  }
}

function nonceOf({ v, c }: HandshakeMessage): string {
  if (v !== PROTOCOL_VERSION) {
    const spoken = typeof v === 'number' ? `version ${v}` : 'something else';
    throw new ProtocolError(
      `the other side speaks ${spoken} of the protocol, this one version ${PROTOCOL_VERSION}`,
    );
  }
  if (typeof c !== 'string') throw new ProtocolError('the other side named no nonce');
  return c;
}
