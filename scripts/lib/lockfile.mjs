/** Finds the parts of a lockfile that `npm ci` requires and npm omits. */
const OS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const CPU = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
  'wasm32',
];
const LIBC = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

/** The platform in the name of a build, such as `binding-linux-x64-gnu`. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = words.filter((word) => OS.includes(word));
  const cpu = words.filter((word) => CPU.includes(word));
  const libc = words.flatMap((word) => LIBC[word] ?? []);
  return {
    ...(os.length > 0 && { os }),
    ...(cpu.length > 0 && { cpu }),
    ...(libc.length > 0 && { libc }),
  };
}

function isResolved(packages, from, name) {
  for (let folder = from; ; folder = folder.replace(/\/?node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    if (packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined)
      return true;
    if (folder === '') return false;
  }
}

/** Missing entries of optional dependencies with an exact version, by path in node_modules. */
export function missingOptional(packages) {
  const missing = {};
  for (const [path, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (isResolved(packages, path, name)) continue;
      missing[`node_modules/${name}`] = {
        version: version.replace(/^[\^~]/, ''),
        ...platformOf(name),
        ...(dev === true && { dev }),
        optional: true,
      };
    }
  }
  return missing;
}

/** Package name of a folder in node_modules; `alias` is the `name` of its entry. */
export const packageName = (path, alias) => alias ?? path.replace(/^.*node_modules\//, '');

/** Paths of the entries without a checksum, except for the project itself. */
export const withoutIntegrity = (packages) =>
  Object.entries(packages)
    .filter(([path, { integrity }]) => path !== '' && integrity === undefined)
    .map(([path]) => path);
