/** A file of the spool folder, as tasks name it. */
export interface StoredPayload {
  readonly name: string;
  readonly bytes: number;
  /** CRC-32C of its bytes. */
  readonly crc32c: number;
}
