/**
 * A metric as plain data, sent between processes, with the members of the Prometheus exposition
 * format. Samples with the same name and labels are added up over processes.
 */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Default: the name of the metric; histograms have `_bucket`, `_sum` and `_count`. */
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly values: readonly Sample[];
}

/**
 * A metric that only one process has, as lines of the text format: a sample takes a tenth of the time
 * that it takes as an object between processes.
 */
export interface WrittenMetric {
  readonly name: string;
  readonly text: string;
}

/** A number, or one number for each label set. */
type Values = number | readonly (readonly [Labels, number])[];

const samples = (values: Values): Sample[] =>
  typeof values === 'number'
    ? [{ labels: {}, value: values }]
    : values.map(([labels, value]) => ({ labels, value }));

export const gauge = (name: string, help: string, values: Values): Metric => ({
  name,
  help,
  type: 'gauge',
  values: samples(values),
});

export const counter = (name: string, help: string, values: Values): Metric => ({
  name,
  help,
  type: 'counter',
  values: samples(values),
});
