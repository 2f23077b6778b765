/** A file of the spool folder, as referenced by tasks. */
export interface StoredPayload {
  readonly name: string;
  readonly bytes: number;
  /** CRC-32C of the file. */
  readonly crc32c: number;
}
