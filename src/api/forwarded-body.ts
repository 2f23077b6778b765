/**
 * The body of a request that goes to the node that writes, in memory or in a spool file. Either can
 * be sent again when the node that writes changes.
 */
import type { ForwardedContent } from './contract/context.ts';
import { SpooledBytes } from './spooled-bytes.ts';

/** `abort` must be called once. */
export class ForwardedBody extends SpooledBytes {
  /** Call after the last `write`. */
  content(): ForwardedContent {
    const { held, bytes } = this;
    return held instanceof Uint8Array ? held : { bytes, chunks: () => held.read() };
  }
}
