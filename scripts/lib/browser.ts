/**
 * Headless Chromium over the DevTools protocol on two pipes, for tests and screenshots: opens a
 * page, evaluates expressions, types text. `CHROMIUM_PATH` names the executable; otherwise PATH is
 * searched for the usual names.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { executablesOnPath } from './executables.ts';

export const HOW_TO_GET_CHROMIUM =
  'needs Chromium: `apt-get install chromium`, or CHROMIUM_PATH=/path/to/it';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const FLAGS = [
  '--headless=new',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  // Fewer processes: the start of one for each page takes a fourth of the page's processor time.
  '--process-per-site',
  '--in-process-gpu',
  '--disable-extensions',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
];

/** null if there is no browser. @throws when `CHROMIUM_PATH` names no file */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named;
    throw new Error(`there is no file ${named}, which CHROMIUM_PATH names`);
  }
  return executablesOnPath(NAMES, env['PATH'] ?? '')[0] ?? null;
}

type Parameters = Readonly<Record<string, unknown>>;

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Parameters;
  readonly result?: Parameters;
  readonly error?: { readonly message: string };
}

interface Evaluation {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: ExceptionDetails;
}

interface ExceptionDetails {
  readonly text: string;
  readonly exception?: { readonly description?: string };
}

interface ConsoleCall {
  readonly type: string;
  readonly args: readonly { readonly value?: unknown; readonly description?: string }[];
}

/** A browser process with a temporary profile. */
export class Browser {
  readonly #child: ChildProcess;
  readonly #profile = mkdtempSync(join(tmpdir(), 'gannet-browser-'));
  readonly #exited: Promise<void>;
  readonly #waiting = new Map<
    number,
    { resolve(result: Parameters): void; reject(error: Error): void }
  >();
  readonly #pages = new Set<Page>();
  #complaints: string[] = [];
  #lastId = 0;
  #unread = '';

  constructor(executable: string) {
    // Chromium's sandbox does not work for root, which runs tests in containers.
    const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    this.#child = spawn(executable, [...FLAGS, ...asRoot, `--user-data-dir=${this.#profile}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#exited = new Promise((done) => {
      const end = (reason: string): void => {
        for (const { reject } of this.#waiting.values())
          reject(new Error(`${executable}: ${reason}`));
        this.#waiting.clear();
        done();
      };
      this.#child.once('error', ({ message }) => end(message));
      this.#child.once('close', (code) => end(`ended with ${code}`));
    });
    this.#output.on('error', () => undefined);
    (this.#child.stdio[4] as Readable)
      .setEncoding('utf8')
      .on('data', (chunk: string) => this.#read(chunk));
  }

  get #output(): Writable {
    return this.#child.stdio[3] as Writable;
  }

  /** Problems that pages reported: exceptions, console errors and warnings, refused requests. */
  get complaints(): readonly string[] {
    return this.#complaints;
  }

  /** @param source a script that runs in each document of the page, before those of the document */
  async open(url: string, source = ''): Promise<Page> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, String(sessionId));
    for (const domain of ['Page', 'Runtime', 'Log'])
      await this.send(`${domain}.enable`, {}, page.session);
    if (source !== '')
      await this.send('Page.addScriptToEvaluateOnNewDocument', { source }, page.session);
    await this.send('Page.navigate', { url }, page.session);
    this.#pages.add(page);
    return page;
  }

  /** Closes the page if it is open. */
  async closePage(page: Page): Promise<void> {
    if (this.#pages.delete(page)) await this.send('Page.close', {}, page.session);
  }

  /** Closes all pages and forgets their problems. */
  async clear(): Promise<void> {
    await Promise.all([...this.#pages].map((page) => page.close()));
    this.#complaints = [];
  }

  /** Ends the browser and its helper processes, and removes the profile. */
  async close(): Promise<void> {
    this.kill();
    await this.#exited;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20 });
  }

  /** Ends the processes without waiting: they may write into the profile for a moment. */
  kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid !== undefined && exitCode === null && signalCode === null)
      process.kill(-pid, 'SIGKILL');
  }

  /** A message is JSON and ends with a zero byte. */
  send(method: string, params: Parameters = {}, sessionId?: string): Promise<Parameters> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#output.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  #read(chunk: string): void {
    const messages = (this.#unread + chunk).split('\0');
    this.#unread = messages.pop() ?? '';
    for (const message of messages) this.#take(JSON.parse(message) as Reply);
  }

  #take({ id, method = '', params = {}, result = {}, error }: Reply): void {
    if (id === undefined) this.#listen(method, params);
    else if (error === undefined) this.#waiting.get(id)?.resolve(result);
    else this.#waiting.get(id)?.reject(new Error(error.message));
    if (id !== undefined) this.#waiting.delete(id);
  }

  #listen(method: string, params: Parameters): void {
    if (method === 'Runtime.exceptionThrown') {
      this.#complaints.push(describe(params['exceptionDetails'] as ExceptionDetails));
    } else if (method === 'Runtime.consoleAPICalled') {
      const { type, args } = params as unknown as ConsoleCall;
      const text = args.map(({ value, description }) => description ?? String(value)).join(' ');
      if (type === 'error' || type === 'warning') this.#complaints.push(text);
    } else if (method === 'Log.entryAdded') {
      const { level, text, url } = params['entry'] as Readonly<Record<string, string>>;
      if (level === 'error') this.#complaints.push(`${text} ${url ?? ''}`);
    }
  }
}

const describe = ({ text, exception }: ExceptionDetails): string => exception?.description ?? text;

/** Codes of Windows, by which Chromium recognises keys. */
const KEY_CODES = { Backspace: 8, Tab: 9, Escape: 27, ArrowUp: 38, ArrowDown: 40 } as const;

/** One tab. */
export class Page {
  readonly session: string;
  readonly #browser: Browser;

  constructor(browser: Browser, session: string) {
    this.#browser = browser;
    this.session = session;
  }

  /** The value of an expression, awaited and serialized. */
  async evaluate<T>(expression: string): Promise<T> {
    const params = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = (await this.#browser.send(
      'Runtime.evaluate',
      params,
      this.session,
    )) as unknown as Evaluation;
    if (exceptionDetails !== undefined) throw new Error(describe(exceptionDetails));
    return result.value as T;
  }

  async close(): Promise<void> {
    await this.#browser.closePage(this);
  }

  /** Resolves after the next paint. @returns milliseconds from the call to the paint */
  async firstPaintMs(): Promise<number> {
    return this.evaluate(`new Promise((resolve) => {
      const seen = (list) => list.getEntriesByName('first-contentful-paint')[0];
      new PerformanceObserver((list) => seen(list) && resolve(seen(list).startTime))
        .observe({ type: 'paint', buffered: true });
    })`);
  }

  /** Sets the size of the viewport, in CSS pixels. */
  async resize(width: number, height: number): Promise<void> {
    const size = { width, height, deviceScaleFactor: 1, mobile: false };
    await this.#browser.send('Emulation.setDeviceMetricsOverride', size, this.session);
  }

  /** The page as WebP. */
  async screenshot(width: number, height: number): Promise<Uint8Array> {
    await this.resize(width, height);
    const { data } = await this.#browser.send(
      'Page.captureScreenshot',
      { format: 'webp', quality: 80 },
      this.session,
    );
    return Buffer.from(String(data), 'base64');
  }

  /** The preferred colour scheme. */
  async prefer(scheme: 'light' | 'dark'): Promise<void> {
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await this.#browser.send('Emulation.setEmulatedMedia', { features }, this.session);
  }

  /** Sends real key presses to the focused element. */
  async type(text: string): Promise<void> {
    for (const character of text) await this.#press({ key: character, text: character });
  }

  /** Presses a key that types nothing. */
  async press(key: keyof typeof KEY_CODES): Promise<void> {
    await this.#press({ key, code: key, windowsVirtualKeyCode: KEY_CODES[key] });
  }

  async #press(key: Parameters): Promise<void> {
    for (const type of ['keyDown', 'keyUp']) {
      const { text, ...silent } = key;
      const event = type === 'keyUp' || text === undefined ? silent : key;
      await this.#browser.send('Input.dispatchKeyEvent', { type, ...event }, this.session);
    }
  }
}
