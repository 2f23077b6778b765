/**
 * Compiles the sources, and bundles a package, the code of processes and threads and the pages for
 * browsers, because hundreds of small modules take longer to load than to run. Types are not
 * checked here: `npm run check:types` does.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Declarations, kernels and the pages for browsers are no modules of dist. */
const NOT_COMPILED = /\.d\.ts$|\/assembly\/|^src\/(?:search|docs)-page\//;

/** Whether dist has a module of the source. @param path below root */
export const isCompiled = (path) => path.endsWith('.ts') && !NOT_COMPILED.test(path);

/** Thread entries of `workers/`; `src/runtime/worker-urls.ts` names the paths of their bundles. */
const THREADS = ['query', 'indexing', 'payload', 'embedding', 'analytics'];
/** Settings of all bundles. */
const FORM = {
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
};

/**
 * V8 reads all of a bundle at its start, so blanks cost a tenth of the CPU time of a start. Names and
 * lines stay, for stacks.
 */
const COMPACT = { minifyWhitespace: true, lineLimit: 120 };

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Imports of sources name their compiled modules and are not bundled. */
const compiledImports = {
  name: 'compiled imports',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ kind, path }) =>
      kind === 'entry-point' ? null : { path: path.replace(/\.ts$/, '.js'), external: true },
    );
  },
};

/** Compiles each source to a module at the same path in dist. @param sources paths below root */
export const compile = (root, sources) =>
  bundle([
    {
      ...FORM,
      splitting: false,
      packages: 'external',
      plugins: [compiledImports],
      sourcemap: 'linked',
      sourcesContent: false,
      entryPoints: sources.filter(isCompiled).map((path) => join(root, path)),
      outbase: root,
      outdir: join(root, 'dist'),
    },
  ]);

/**
 * TypeBox has 700 small modules, which take half of the start time of a front. One bundle next to
 * the compiled sources, where imports find it first, loads ten times as fast.
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

/** Processes that `src/main.ts` starts, named in `src/runtime/worker-urls.ts`. */
const PROCESSES = {
  main: 'src/main.ts',
  front: 'workers/front.ts',
  indexer: 'workers/indexer.ts',
  restore: 'workers/restore.ts',
  upgrade: 'workers/upgrade.ts',
};

/** The command line, of which each command is an entry: it is loaded when it is named. */
const COMMAND_LINE = { gannet: 'src/cli/gannet.ts' };

/**
 * Programs that commands load, named in `src/cli/own-entries.ts`. With chunks of their own: more entries
 * cut the chunks of the processes into more files, which take longer to load.
 */
const COMMAND_PROGRAMS = {
  'copy-instance': 'workers/copy-instance.ts',
  'check-index': 'scripts/check-index.ts',
};

/** Modules that locate files by their own path stay where they are. */
const ownPaths = {
  name: 'own paths',
  setup({ onResolve }) {
    onResolve({ filter: /\/(?:worker-urls|built-indexes|own-entries)\.ts$/ }, ({ path }) => {
      const name = basename(path, '.ts');
      const room = name === 'own-entries' ? 'cli' : 'runtime';
      return { path: `../src/${room}/${name}.js`, external: true };
    });
  },
};

/** Packages that load files by their own path, or that a process loads when it first needs them. */
const NOT_IN_PROCESSES = ['jose', 'koffi', 'pg', 'piscina', 'rocksdb-native', 'typebox', 'undici'];

/** CommonJS in the chunks requires modules of Node. */
const REQUIRE = `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url);`;

/**
 * Main and its processes share chunks, because a role that runs alone runs in main: 300 modules of a front take 420 ms of CPU time, its bundle 250
 * ms. Packages are part of it: to find and read their files takes a quarter of the CPU time of a
 * start. All outputs are one folder below dist, which relative paths in the code assume.
 */
const processesOf = (root, entries) => ({
  ...FORM,
  ...COMPACT,
  entryPoints: Object.entries(entries).map(([name, source]) => ({
    in: join(root, source),
    out: name === 'main' ? 'src/main' : `processes/${name}`,
  })),
  outdir: join(root, 'dist'),
  chunkNames: 'processes/shared-[hash]',
  external: NOT_IN_PROCESSES,
  banner: { js: REQUIRE },
  plugins: [ownPaths],
  sourcemap: 'linked',
  sourcesContent: false,
});

/**
 * Threads start often, and each loads all of its code: 250 modules take 170 ms of CPU time and 9 MB
 * of heap, their bundle 65 ms and 6 MB.
 */
const threadsOf = (root) => ({
  ...FORM,
  ...COMPACT,
  entryPoints: THREADS.map((thread) => join(root, `dist/workers/${thread}.js`)),
  outdir: join(root, 'dist/threads'),
  chunkNames: 'shared/[hash]',
  // koffi loads its native library from a path next to its own code; undici is CommonJS that
  // requires modules of Node, and is loaded with the first outgoing request.
  external: ['koffi', 'undici'],
  sourcemap: 'linked',
});

/** The MCP server with the packages of its protocol, so that users install none. */
const mcpOf = (root) => ({
  ...FORM,
  entryPoints: [
    { in: join(root, 'dist/src/mcp/serve-stdio.js'), out: 'serve-stdio' },
    { in: join(root, 'dist/src/mcp/serve-http.js'), out: 'serve-http' },
    { in: join(root, 'node_modules/@modelcontextprotocol/server/LICENSE'), out: 'LICENSE' },
  ],
  outdir: join(root, 'dist/mcp'),
  loader: { '': 'copy' },
  splitting: false,
  minify: true,
});

/** Settings of bundles for browsers. */
const FORM_OF_PAGES = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
};

/** One script, one style sheet and the HTML that includes them. */
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

/** Script and style sheet of the documentation; documentation.mjs writes the pages. */
const docsPageOf = (root) => ({
  ...FORM_OF_PAGES,
  entryPoints: ['docs-page.ts', 'docs-page.css'].map((name) => join(root, 'src/docs-page', name)),
  outdir: join(root, 'dist/docs'),
});

/** Bundles of the processes, of each kind of thread, of the MCP server and of the pages. */
export function bundleCode(root) {
  // Names of chunks change with their content.
  for (const folder of ['processes', 'threads'])
    rmSync(join(root, 'dist', folder), { recursive: true, force: true });
  return bundle([
    processesOf(root, PROCESSES),
    processesOf(root, COMMAND_LINE),
    processesOf(root, COMMAND_PROGRAMS),
    threadsOf(root),
    mcpOf(root),
    searchPageOf(root),
    docsPageOf(root),
  ]);
}

/**
 * The bundler runs as a child process. It would otherwise live as long as this process, which `npm
 * start` turns into the server.
 */
async function bundle(all) {
  const { build, stop } = await import('esbuild');
  try {
    for (const options of all) await build(options);
  } finally {
    await stop();
  }
}
