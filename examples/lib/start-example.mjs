/**
 * What the examples share: a server of their own with documents in it, a key that may only search,
 * and their page, bundled and served by a second server as any web server would serve it.
 */
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureInstalled, ROOT } from '../../scripts/lib/fresh.mjs';

ensureInstalled();
await ensureBuilt();

const CONTENT_TYPES = {
  '/': 'text/html; charset=utf-8',
  '/page.js': 'text/javascript; charset=utf-8',
  '/page.css': 'text/css; charset=utf-8',
  '/settings.json': 'application/json',
};

/** A few documents need no warm-up. */
const FLAGS = ['--search-page', '--no-warm-up'];

/** Script and sheet of a folder as browsers load them. */
async function bundlePage(folder) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: ['page.mjs', 'page.css'].map((name) => join(folder, name)),
    outdir: folder,
    write: false,
    bundle: true,
    minify: true,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  const contentOf = (extension) =>
    outputFiles.find(({ path }) => path.endsWith(extension))?.contents ?? '';
  return { '/page.js': contentOf('.js'), '/page.css': contentOf('.css') };
}

/** An index with settings and documents; resolves when they can be searched. */
async function fillIndex(url, masterKey, { index, settings, documents, prepare, key }) {
  const { Meilisearch } = await import('meilisearch');
  const defaultWaitOptions = { timeout: 60_000 };
  const client = new Meilisearch({ host: url, apiKey: masterKey, defaultWaitOptions });
  await client.index(index).updateSettings(settings).waitTask();
  await client.index(index).addDocuments(documents, { primaryKey: 'id' }).waitTask();
  await prepare?.({ url, masterKey });
  return client.createKey({ actions: ['search'], indexes: [index], expiresAt: null, ...key });
}

function servePage(files, serverUrl, port) {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ${serverUrl}`;
  const server = createHttpServer((request, response) => {
    const content = files[request.url.split('?')[0]];
    if (content === undefined) return response.writeHead(404).end();
    response
      .writeHead(200, {
        'Content-Type': CONTENT_TYPES[request.url.split('?')[0]],
        'Content-Security-Policy': policy,
      })
      .end(content);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/**
 * @param example its folder; the index with settings and documents; the port of its page, 0 for any
 * @returns addresses of page and server, and what ends both
 */
export async function startExample({ folder, port, flags = [], ...content }) {
  const { createServer } = await import('../../dist/src/runtime/create-server.js');
  const masterKey = 'a master key of this process alone';
  const server = await createServer({ masterKey, flags: [...FLAGS, ...flags] });
  try {
    const { key } = await fillIndex(server.url, masterKey, content);
    const files = {
      '/': readFileSync(join(folder, 'index.html')),
      '/settings.json': JSON.stringify({ host: server.url, apiKey: key, index: content.index }),
      ...(await bundlePage(folder)),
    };
    const pages = await servePage(files, server.url, port);
    const stop = async () => {
      pages.closeAllConnections();
      pages.close();
      await server.stop();
    };
    return { url: `http://127.0.0.1:${pages.address().port}`, serverUrl: server.url, stop };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The port of the page: `--port N`, else the one of the example. */
function portOf(example) {
  const { port = String(example.port) } = parseArgs({
    options: { port: { type: 'string' } },
  }).values;
  return Number(port);
}

/** Runs an example until Ctrl+C. */
export async function runExample(example) {
  const port = portOf(example);
  const started = await startExample({ ...example, port }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    process.stderr.write(`port ${port} is taken by another program: choose one with -- --port N\n`);
    process.exit(1);
  });
  const { url, serverUrl, stop } = started;
  process.stdout.write(`\n  open ${url}\n  Gannet itself is at ${serverUrl}; Ctrl+C ends both\n\n`);
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void stop().then(() => process.exit(0)));
}

/** True when this module was started, not imported. */
export const isStarted = (meta) => process.argv[1] === fileURLToPath(meta.url);

export { ROOT };
