/** What Dockerfile and docker-compose.yml say, as the tools that read them take it. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type Variables = Readonly<Record<string, string>>;

export interface ComposeService {
  readonly build?: string | { readonly context: string; readonly args: Variables };
  readonly image?: string;
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly expose?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly read_only?: boolean;
  readonly init?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly networks?: { readonly default: { readonly aliases: readonly string[] } };
  readonly depends_on?: readonly string[] | Readonly<Record<string, { condition: string }>>;
}

/** `${NAME:-default}` and `${NAME:?what is missing}`, as compose fills them in. */
function filledIn(text: string, variables: Variables): string {
  return text.replaceAll(
    /\$\{([A-Z_]+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind: string | undefined, rest = '') => {
      const value = variables[name] ?? '';
      if (value !== '' || kind === undefined) return value;
      if (kind === '?') throw new Error(`${name}: ${rest}`);
      return rest;
    },
  );
}

export function composeServices(
  variables: Variables,
  file = 'docker-compose.yml',
): Readonly<Record<string, ComposeService>> {
  const text = filledIn(readFileSync(file, 'utf8'), variables);
  return (parse(text, { merge: true }) as { services: Record<string, ComposeService> }).services;
}

export interface Image {
  /** Of the last stage. */
  readonly env: Variables;
  readonly entrypoint: readonly string[];
  readonly healthCheck: readonly string[];
  readonly user: string;
}

export function dockerImage(): Image {
  const lines = readFileSync('Dockerfile', 'utf8').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  const rest = (word: string): string =>
    last.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? '';
  const command = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as string[];
  return {
    env: Object.fromEntries(
      rest('ENV')
        .split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    ),
    entrypoint: command(rest('ENTRYPOINT')),
    healthCheck: command(rest('HEALTHCHECK')),
    user: rest('USER'),
  };
}
