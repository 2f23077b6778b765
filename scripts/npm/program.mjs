/** Finds the package that holds the program for this platform, an optional dependency of this one. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const PLATFORM = `${process.platform}-${process.arch}`;

/** The URL of the package's folder, with a slash at its end. @throws Error when it is not installed */
export function programFolder() {
  try {
    const description = createRequire(import.meta.url).resolve(`gannet-${PLATFORM}/package.json`);
    return new URL('.', pathToFileURL(description));
  } catch (cause) {
    throw new Error(
      `the package gannet-${PLATFORM} is not installed. Install gannet with optional dependencies: npm install gannet --include=optional. There are packages for linux-x64, linux-arm64 (both glibc), darwin-x64, darwin-arm64 and win32-x64`,
      { cause },
    );
  }
}
