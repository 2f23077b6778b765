/**
 * `npm run screenshots`: takes the pictures of the README and of the manage views into docs/images. With `--first-minute`
 * it instead plays the first steps of a new user, from the clone to the first hit, and prints the
 * time of each step. `--to DIR` changes the folder of the pictures.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createListener } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { createServer } from '../src/runtime/create-server.ts';
import { Browser, findChromium, HOW_TO_GET_CHROMIUM, type Page } from './lib/browser.ts';

const FILMS = 'examples/films.json';
const SIZE = { width: 1280, height: 760 } as const;
const PHONE = { width: 390, height: 760 } as const;
const LOOK_MS = 20;
const WAIT_MS_MAX = 60_000;
const MASTER_KEY = 'the-master-key-of-the-pictures';

const { values: options } = parseArgs({
  options: { 'first-minute': { type: 'boolean' }, to: { type: 'string' } },
});

/** Resolves when the expression is true on the page. */
async function until(page: Page, expression: string): Promise<void> {
  const endMs = performance.now() + WAIT_MS_MAX;
  while (!(await page.evaluate<boolean>(`Boolean(${expression})`))) {
    if (performance.now() > endMs) throw new Error(`not on the page in time: ${expression}`);
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

/** Drops the films on the page like a file manager, and imports them. */
async function dropFilms(page: Page, films: string): Promise<void> {
  await page.evaluate(`void (location.hash = '#/indexes')`);
  await until(page, `document.querySelector('.drop')`);
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(films)}], 'films.json'));
    document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
  })()`);
  await until(page, `document.querySelector('.import button')`);
  await page.evaluate(`document.querySelector('.import button').click()`);
  await until(page, `document.querySelector('.import [role=status] a')`);
}

async function typeWords(page: Page, words: string): Promise<void> {
  await page.evaluate(`void (location.hash = '#/search/films')`);
  await until(page, `document.querySelector('input[type=search]')`);
  await page.evaluate(`document.querySelector('input[type=search]').focus()`);
  await page.type(words);
  await until(page, `document.querySelector('.hit mark')`);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const pictures = (folder: string) => {
  mkdirSync(folder, { recursive: true });
  return async (page: Page, name: string, { width, height }: Size = SIZE): Promise<void> => {
    const bytes = await page.screenshot(width, height);
    writeFileSync(join(folder, `${name}.webp`), bytes);
    console.log(`${name}.webp  ${Math.ceil(bytes.length / 1024)} KB`);
  };
};

/** Searchable, filterable and sortable fields of the films in the pictures. */
const SETTINGS = {
  searchableAttributes: ['title', 'director', 'overview'],
  filterableAttributes: ['genres', 'country', 'year'],
  sortableAttributes: ['year'],
};

/** Clicks the first element with the text. */
const press = (page: Page, selector: string, text: string): Promise<void> =>
  page.evaluate(
    `[...document.querySelectorAll('${selector}')].find((e) => e.textContent.includes('${text}')).click()`,
  );

/** The search and its filters. */
async function takeOnPhone(page: Page, take: ReturnType<typeof pictures>): Promise<void> {
  await page.resize(PHONE.width, PHONE.height);
  await page.evaluate('scrollTo(0, 0)');
  await until(page, `document.querySelector('.toolbar [aria-haspopup]')`);
  await take(page, 'search-phone', PHONE);
  await press(page, '.toolbar button', 'Filters');
  await until(page, `document.querySelector('dialog[open] .facet')`);
  await take(page, 'filters-phone', PHONE);
  await page.evaluate(`document.querySelector('dialog').close()`);
}

/** Views that manage the server, with what shows that they are complete. */
const MANAGE_VIEWS = {
  tasks: 'tbody tr',
  keys: '.keys dd',
  rules: '.search-rules .made li',
  console: '.console select option:nth-child(9)',
  backups: '.files li',
} as const;

/** Each at the width of a desktop and of a phone. */
async function takeManageViews(page: Page, take: ReturnType<typeof pictures>): Promise<void> {
  for (const [view, content] of Object.entries(MANAGE_VIEWS)) {
    await page.evaluate(`void (location.hash = '#/${view}')`);
    await until(page, `document.querySelector('${content}')`);
    await take(page, view);
    await take(page, `${view}-phone`, PHONE);
  }
}

/** What the manage views show: a rule and a dump. */
async function prepareManageViews(send: Send): Promise<void> {
  await send('PATCH', '/experimental-features', { dynamicSearchRules: true });
  await send('PATCH', '/dynamic-search-rules/tokyo-first', {
    description: 'Tokyo Story comes first, Casablanca is hidden',
    conditions: { query: { words: 'tokyo' } },
    actions: [
      { selector: { indexUid: 'films', id: '1' }, action: { type: 'pin', position: 0 } },
      { selector: { indexUid: 'films', id: '43' }, action: { type: 'hide' } },
    ],
  });
  await send('POST', '/dumps', {});
}

type Send = (method: string, path: string, body: object) => Promise<Response>;

const senderTo =
  (url: string): Send =>
  (method, path, body) =>
    fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${MASTER_KEY}` },
      body: JSON.stringify(body),
    });

async function takePictures(browser: Browser, target: string): Promise<void> {
  const take = pictures(target);
  const folder = mkdtempSync(join(tmpdir(), 'gannet-pictures-'));
  const flags = ['--dump-dir', folder, '--snapshot-dir', folder];
  const server = await createServer({ masterKey: MASTER_KEY, flags });
  const send = senderTo(server.url);
  try {
    const page = await browser.open(server.url);
    await page.evaluate(`sessionStorage.setItem('gannet-key', '${MASTER_KEY}')`);
    await page.evaluate('location.reload()');
    await until(page, `document.querySelector('.head .name')`);
    console.log(`first paint of the search page after ${Math.round(await page.firstPaintMs())} ms`);
    await dropFilms(page, readFileSync(FILMS, 'utf8'));
    await take(page, 'import');
    await send('PATCH', '/indexes/films/settings', SETTINGS);
    await prepareManageViews(send);
    await page.evaluate(`void (location.hash = '#/tasks')`);
    await until(page, `document.querySelectorAll('tbody tr').length > 1`);
    await until(page, `!/enqueued|processing/.test(document.querySelector('tbody').textContent)`);
    await page.evaluate('location.reload()');
    await typeWords(page, 'tokio');
    await until(page, `document.querySelector('.facet')`);
    await press(page, '.hit button', 'Why this hit?');
    await until(page, `document.querySelector('.why')`);
    await page.prefer('light');
    await take(page, 'search');
    await page.prefer('dark');
    await take(page, 'search-dark');
    await page.prefer('light');
    await takeOnPhone(page, take);
    await page.resize(SIZE.width, SIZE.height);
    await page.evaluate(`void (location.hash = '#/documents/films')`);
    await until(page, `document.querySelector('.documents tbody tr')`);
    await take(page, 'documents');
    await takeManageViews(page, take);
    const docs = await browser.open(`${server.url}/docs/getting-started`);
    console.log(
      `first paint of the documentation after ${Math.round(await docs.firstPaintMs())} ms`,
    );
    await docs.prefer('light');
    await take(docs, 'docs');
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** A free port, from a listener that is closed again. */
function freePort(): Promise<number> {
  const listener = createListener();
  return new Promise((done) => {
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      listener.close(() =>
        done(typeof address === 'object' && address !== null ? address.port : 0),
      );
    });
  });
}

/** Resolves when the banner shows the address. */
async function untilListening(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error('the output of the server is not read');
  for await (const line of createInterface(child.stdout)) if (line.includes('listening on')) return;
  throw new Error('`npm start` ended before the server listened');
}

async function playFirstMinute(browser: Browser, folder: string): Promise<void> {
  const take = pictures(folder);
  const home = mkdtempSync(join(tmpdir(), 'gannet-first-minute-'));
  const clone = join(home, 'gannet');
  const beginMs = performance.now();
  const step = (what: string): void =>
    console.log(`${((performance.now() - beginMs) / 1000).toFixed(1).padStart(6)} s  ${what}`);
  const git = ['clone', '--quiet', '--depth', '1', `file://${resolve('.')}`, clone];
  execFileSync('git', git, { stdio: 'inherit' });
  step('cloned');
  const port = await freePort();
  const server = spawn('npm', ['start', '--silent', '--', '--http-addr', `127.0.0.1:${port}`], {
    cwd: clone,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  try {
    await untilListening(server);
    step('`npm start` has installed, compiled and listens');
    const page = await browser.open(`http://127.0.0.1:${port}`);
    await page.firstPaintMs();
    await take(page, '1-page');
    step('the page is there');
    await dropFilms(page, readFileSync(join(clone, FILMS), 'utf8'));
    await take(page, '2-dropped');
    step('films.json is dropped and imported');
    await typeWords(page, 'wondre wom');
    await take(page, '3-hit');
    step('a hit');
  } finally {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
    await new Promise((done) => server.once('close', done));
    rmSync(home, { recursive: true, force: true });
  }
}

const chromium = findChromium();
if (chromium === null) throw new Error(HOW_TO_GET_CHROMIUM);
const browser = new Browser(chromium);
try {
  const isFirstMinute = options['first-minute'] === true;
  const folder =
    options.to ?? (isFirstMinute ? mkdtempSync(join(tmpdir(), 'first-minute-')) : 'docs/images');
  await (isFirstMinute ? playFirstMinute : takePictures)(browser, folder);
  console.log(`pictures are in ${folder}`);
} finally {
  await browser.close();
}
