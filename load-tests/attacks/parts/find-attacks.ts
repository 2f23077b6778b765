/** Finds the attack scripts: the files of the folder above other than the contract. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Attack } from '../attack.ts';

const FOLDER = resolve(import.meta.dirname, '..');
const CONTRACT = /^attack\.(js|ts)$/;

/** In the order of their file names. */
export async function findAttacks(): Promise<readonly Attack[]> {
  const files = readdirSync(FOLDER).filter((file) => /\.[jt]s$/.test(file) && !CONTRACT.test(file));
  return Promise.all(
    files.sort().map(async (file) => {
      const { attack } = (await import(pathToFileURL(join(FOLDER, file)).href)) as {
        readonly attack?: Attack;
      };
      if (attack === undefined) throw new Error(`${file} exports no \`attack\``);
      return attack;
    }),
  );
}

/**
 * Attacks that share a server: the first group needs no launch options, the second has the options of
 * all of its attacks.
 */
export function groupsByServer(attacks: readonly Attack[]): readonly (readonly Attack[])[] {
  const hasOptions = ({ serverOptions }: Attack): boolean => serverOptions !== undefined;
  const groups = [attacks.filter((attack) => !hasOptions(attack)), attacks.filter(hasOptions)];
  return groups.filter((group) => group.length > 0);
}
