/**
 * A metric as processes hand it to each other: what the exposition format of Prometheus says of it,
 * as plain data. Samples of one name and the same labels are added up over processes.
 */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Absent = the name of the metric; histograms have `_bucket`, `_sum` and `_count`. */
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

/** A number, or one for each value of the labels. */
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
