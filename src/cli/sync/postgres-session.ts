/** Connections to PostgreSQL: one for single queries, one to read rows in parts, one for the stream. */
import pg, { type Client as PostgresClient } from 'pg';
import { SourceInterrupted } from './change-source.ts';

export type Query = <Row extends object>(
  text: string,
  values?: readonly string[],
) => Promise<readonly Row[]>;

/** What the client does not declare of its connection in replication mode. */
interface ReplicationConnection {
  once(event: 'replicationStart', listener: () => void): void;
  on(event: 'copyData', listener: (message: { readonly chunk: Buffer }) => void): void;
  sendCopyFromChunk(chunk: Buffer): void;
  readonly stream: { pause(): void; resume(): void; readonly writable: boolean };
}

type Part = readonly (readonly unknown[])[];

const CONNECT_TIMEOUT_MS = 10_000;
const SETTINGS = `SET TimeZone = 'UTC'; SET statement_timeout = 0;
  SET idle_in_transaction_session_timeout = 0`;

export class PostgresSession {
  readonly #address: string;
  readonly #onLost: (error: Error) => void;
  readonly #clients: PostgresClient[] = [];
  #control: PostgresClient | null = null;
  #reading: PostgresClient | null = null;
  #stream: ReplicationConnection | null = null;
  #isClosed = false;

  /** @param onLost called when a connection or the stream ends without `close` */
  constructor(address: string, onLost: (error: Error) => void) {
    this.#address = address;
    this.#onLost = onLost;
  }

  async connect(): Promise<void> {
    this.#control = await this.#connected({});
    this.#reading = await this.#connected({});
    for (const client of this.#clients) await client.query(SETTINGS);
  }

  async #connected(settings: object): Promise<PostgresClient> {
    const client = new pg.Client({
      connectionString: this.#address,
      application_name: 'gannet sync',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      ...settings,
    });
    this.#clients.push(client);
    const lose = (): void => {
      if (!this.#isClosed)
        this.#onLost(new SourceInterrupted('the connection to PostgreSQL was closed'));
    };
    client.on('error', lose).on('end', lose);
    await client.connect();
    return client;
  }

  readonly query: Query = queryOf(() => this.#control);
  /** As `query`, on the connection of readings, while a long statement runs on the other one. */
  readonly secondQuery: Query = queryOf(() => this.#reading);

  /** Rows of a query in parts. One such reading at a time. @param rowsMax rows of a part */
  read(query: string, values: readonly string[], rowsMax: number): AsyncGenerator<Part> {
    return fetchParts(opened(this.#reading), query, values, rowsMax);
  }

  /** As `read`, on the connection of single queries, so that it may enclose a reading. */
  readAround(query: string, values: readonly string[], rowsMax: number): AsyncGenerator<Part> {
    return fetchParts(opened(this.#control), query, values, rowsMax);
  }

  /** Resolves when the stream has begun. */
  async replicate(statement: string, onFrame: (frame: Buffer) => void): Promise<void> {
    const client = await this.#connected({ replication: 'database' });
    const { connection } = client as unknown as { readonly connection: ReplicationConnection };
    connection.on('copyData', ({ chunk }) => onFrame(chunk));
    await new Promise<void>((resolve, reject) => {
      connection.once('replicationStart', resolve);
      const end = (error: Error): void => {
        reject(error);
        if (!this.#isClosed) this.#onLost(error);
      };
      client
        .query(statement)
        .then(() => end(new SourceInterrupted('PostgreSQL ended the stream')), end);
    });
    this.#stream = connection;
  }

  send(frame: Buffer): void {
    if (this.#stream?.stream.writable === true) this.#stream.sendCopyFromChunk(frame);
  }

  setPaused(isPaused: boolean): void {
    if (isPaused) this.#stream?.stream.pause();
    else this.#stream?.stream.resume();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.setPaused(false);
    await Promise.all(this.#clients.map((client) => client.end().catch(() => undefined)));
  }
}

const queryOf =
  (client: () => PostgresClient | null): Query =>
  async <Row extends object>(text: string, values: readonly string[] = []) => {
    const { rows } = await opened(client()).query<Row>(text, [...values]);
    return rows;
  };

function opened(client: PostgresClient | null): PostgresClient {
  if (client === null) throw new Error('not connected');
  return client;
}

/** By a cursor of SQL, so that memory holds one part. Each statement may have its own error. */
async function* fetchParts(
  client: PostgresClient,
  query: string,
  values: readonly string[],
  rowsMax: number,
): AsyncGenerator<Part> {
  await client.query('BEGIN READ ONLY');
  try {
    await client.query(`DECLARE part NO SCROLL CURSOR FOR ${query}`, [...values]);
    const text = `FETCH ${rowsMax} FROM part`;
    for (let isLast = false; !isLast; ) {
      const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
      isLast = rows.length < rowsMax;
      yield rows;
    }
  } finally {
    await client.query('COMMIT');
  }
}
