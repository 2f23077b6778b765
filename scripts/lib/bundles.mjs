/**
 * What is joined after compiling, because hundreds of small modules take longer to load than to
 * run: a package, the code of each kind of thread, and the page that browsers load.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Thread entries of `workers/`; their bundles are where `src/runtime/worker-urls.ts` says. */
const THREADS = ['query', 'indexing', 'payload', 'embedding'];
/** What both kinds of bundles have in common. */
const FORM = {
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
};

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * TypeBox comes as 700 small modules, which take half of a front's start to load. One bundle beside
 * the compiled sources, where their imports find it first, loads ten times as fast.
 */
export async function bundleTypebox(root) {
  const source = join(root, 'node_modules/typebox');
  const target = join(root, 'dist/node_modules/typebox');
  const { name, version } = readJson(join(source, 'package.json'));
  const description = join(target, 'package.json');
  if (existsSync(description) && readJson(description).version === version) return;
  await bundle([
    {
      ...FORM,
      entryPoints: {
        index: join(source, 'build/index.mjs'),
        compile: join(source, 'build/compile/index.mjs'),
      },
      outdir: target,
      outExtension: { '.js': '.mjs' },
    },
  ]);
  const exports = { '.': './index.mjs', './compile': './compile.mjs' };
  writeFileSync(description, JSON.stringify({ name, version, type: 'module', exports }));
}

/**
 * Threads come and go, and each loads its code for itself: about 250 modules take 170 ms of
 * processor time and 9 MB of heap, their bundle 65 ms and 6 MB.
 */
const threadsOf = (root) => ({
  ...FORM,
  entryPoints: THREADS.map((thread) => join(root, `dist/workers/${thread}.js`)),
  outdir: join(root, 'dist/threads'),
  chunkNames: 'shared/[hash]',
  // Its library lies beside its code.
  external: ['koffi'],
  sourcemap: 'linked',
});

/** What assistants speak to, with the packages of its protocol, which nobody installs for it. */
const mcpOf = (root) => ({
  ...FORM,
  entryPoints: [
    { in: join(root, 'dist/src/cli/mcp/serve-mcp.js'), out: 'serve-mcp' },
    { in: join(root, 'node_modules/@modelcontextprotocol/server/LICENSE'), out: 'LICENSE' },
  ],
  outdir: join(root, 'dist/mcp'),
  loader: { '': 'copy' },
  splitting: false,
  minify: true,
});

/** What of a bundle is for browsers. */
const FORM_OF_PAGES = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
};

/** One script, one sheet and the HTML that names them. */
const searchPageOf = (root) => {
  const source = join(root, 'src/search-page');
  return {
    ...FORM_OF_PAGES,
    entryPoints: [
      { in: join(source, 'main.tsx'), out: 'page' },
      { in: join(source, 'page.css'), out: 'page' },
      { in: join(source, 'index.html'), out: 'index' },
    ],
    outdir: join(root, 'dist/search-page'),
    loader: { '.html': 'copy' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
  };
};

/** Script and sheet of the documentation, whose pages documentation.mjs writes. */
const docsPageOf = (root) => ({
  ...FORM_OF_PAGES,
  entryPoints: ['docs-page.ts', 'docs-page.css'].map((name) => join(root, 'src/docs-page', name)),
  outdir: join(root, 'dist/docs'),
});

/** The code of each kind of thread, and what assistants and browsers load. */
const codeOf = (root) => [threadsOf(root), mcpOf(root), searchPageOf(root), docsPageOf(root)];

export const bundleCode = (root) => bundle(codeOf(root));

/** The bundler is a child process. It would live as long as this one, which `npm start` makes the server. */
async function bundle(all) {
  const { build, stop } = await import('esbuild');
  try {
    for (const options of all) await build(options);
  } finally {
    await stop();
  }
}

/** The same whenever a source changes. @returns what ends it */
export async function watchCode(root) {
  const { context } = await import('esbuild');
  const watching = [];
  for (const options of codeOf(root)) {
    const each = await context(options);
    await each.watch();
    watching.push(each);
  }
  return () => void Promise.all(watching.map((each) => each.dispose()));
}
