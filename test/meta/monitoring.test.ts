/** Dashboard and alerts ask only for metrics that the server has. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = 'config/monitoring';
const METRIC = /\b(?:meilisearch|gannet)_[a-z_]+/g;
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

const metricNames = new Set(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => readFileSync(join('src', file), 'utf8').match(METRIC) ?? []),
);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}
const { groups } = parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] };
const { panels } = JSON.parse(read('grafana-dashboard.json')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const expressions = [
  ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

it.each(expressions)('%s asks for metrics that exist', (_, expr) => {
  for (const name of expr.match(METRIC) ?? [])
    expect(metricNames).toContain(
      name.replace(/_(bucket|sum|count)$/, (part) => (metricNames.has(name) ? part : '')),
    );
});

it('gives each alert a severity, a summary and what to do', () => {
  for (const { rules } of groups) {
    for (const { labels, annotations } of rules) {
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      expect(annotations.action.length).toBeGreaterThan(10);
    }
  }
});

it('reads the rules in the folder of the Prometheus configuration', () => {
  const { rule_files: files } = parse(read('prometheus.yml')) as { rule_files: string[] };
  for (const file of files) expect(readdirSync(FOLDER)).toContain(file);
});
