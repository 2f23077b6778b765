/** The page that the links of errors lead to: one row a code, with its name as anchor. */
import type { ErrorReference } from './error-reference.ts';

/** Longer lists only say how long they are. */
const ROUTES_SHOWN_MAX = 8;

const HEAD = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Error codes</title>
<style>
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { padding: .3rem 1rem .3rem 0; text-align: left; vertical-align: top; }
tr:target { background: color-mix(in srgb, Highlight 25%, transparent); }
</style>
<h1>Error codes</h1>
<p>The <code>message</code> of an error says which value of which field was refused and what is
allowed there. Its <code>code</code> is for programs and stays as it is. Codes without a route
belong to tasks, or to routes to come.</p>
<table>
<tr><th>Code<th>Type<th>HTTP<th>Routes
`;

const shown = (routes: readonly string[]): string =>
  routes.length > ROUTES_SHOWN_MAX ? `${routes.length} routes` : routes.join(' ');

const row = ({ code, type, status, routes }: ErrorReference): string =>
  `<tr id="${code}"><td><code>${code}</code><td>${type}<td>${status}<td>${shown(routes)}\n`;

/** HTML; codes, types and ids of routes hold no characters that it would have to escape. */
export const errorsPage = (references: readonly ErrorReference[]): string =>
  `${HEAD}${references.map(row).join('')}</table>\n`;
