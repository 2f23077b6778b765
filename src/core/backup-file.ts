/** A dump or a snapshot in its folder. */
export interface BackupFile {
  readonly name: string;
  readonly kind: 'dump' | 'snapshot';
  readonly bytes: number;
  readonly modifiedMs: number;
}
