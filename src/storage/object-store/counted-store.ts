/** An object store whose calls and bytes are counted, for metrics. */
import { counter, gauge, type Metric } from '../../observability/metric.ts';
import {
  type ByteRange,
  bodyBytes,
  type ListedObject,
  type ListOptions,
  type ObjectBody,
  type ObjectStore,
} from './object-store.ts';
import { monthlyPrice, type RequestCounts } from './request-price.ts';

export class CountedStore implements ObjectStore {
  readonly #objects: ObjectStore;
  readonly #now: () => number;
  readonly #startMs: number;
  readonly #requests = new Map<string, number>();
  #sentBytes = 0;
  #receivedBytes = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(objects: ObjectStore, now = (): number => performance.now()) {
    this.#objects = objects;
    this.#now = now;
    this.#startMs = now();
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | null> {
    this.#count('get');
    const bytes = await this.#objects.get(key, range);
    this.#receivedBytes += bytes?.length ?? 0;
    return bytes;
  }

  put(key: string, body: ObjectBody): Promise<void> {
    this.#count('put');
    this.#sentBytes += bodyBytes(body);
    return this.#objects.put(key, body);
  }

  create(key: string, body: ObjectBody): Promise<boolean> {
    this.#count('put');
    this.#sentBytes += bodyBytes(body);
    return this.#objects.create(key, body);
  }

  list(prefix: string, options?: ListOptions): AsyncIterable<ListedObject> {
    this.#count('list');
    return this.#objects.list(prefix, options);
  }

  delete(key: string): Promise<void> {
    this.#count('delete');
    return this.#objects.delete(key);
  }

  close(): void {
    this.#objects.close();
  }

  /** @param database requests of SlateDB */
  metrics(database: RequestCounts): Metric[] {
    const all = [
      ['files', this.#requests],
      ['database', database],
    ] as const;
    return [
      counter(
        'gannet_store_requests_total',
        'Requests to the object store: of files, repetitions not counted, and of the database, its lists estimated',
        all.flatMap(([client, requests]) =>
          [...requests].map(([method, count]) => [{ client, method }, count] as const),
        ),
      ),
      counter('gannet_store_bytes_total', 'Bytes of files to and from the object store', [
        [{ direction: 'sent' }, this.#sentBytes],
        [{ direction: 'received' }, this.#receivedBytes],
      ]),
      gauge(
        'gannet_store_requests_dollars_per_month',
        'Estimated price of the requests of this node as Amazon S3, at their mean rate since its start',
        monthlyPrice([this.#requests, database], this.#now() - this.#startMs),
      ),
    ];
  }

  #count(method: string): void {
    this.#requests.set(method, (this.#requests.get(method) ?? 0) + 1);
  }
}
