/** Takeovers of a cluster by step, as the log of the node that took over says it. */
import { loadavg } from 'node:os';
import type { ClusterNode } from './cluster.ts';
import { percentile } from './statistics.ts';
import { aligned } from './table.ts';

const LINE = /^(?<time>\S+) .*the takeover took \d+ ms: (?<steps>.*)$/;
const PERCENTILES = [0.5, 0.9, 0.99, 1];
const TO_FIRST_STEP = 'kill to the last write seen';
const TO_ACKNOWLEDGEMENT = 'served to acknowledgement';
const TOTAL = 'kill to acknowledgement';

export class Takeovers {
  readonly #timesMs = new Map<string, number[]>();
  readonly #loads: number[] = [];

  /** Call when the logs have the takeover. The times are milliseconds since 1970. */
  add(nodes: readonly ClusterNode[], killedMs: number, acknowledgedMs: number): void {
    this.#loads.push(loadavg()[0] as number);
    this.#note(TOTAL, acknowledgedMs - killedMs);
    const lines = nodes.flatMap((node) => node.logLines(killedMs, Date.now()));
    const found = lines.map((line) => LINE.exec(line)?.groups).find((groups) => groups);
    if (!found) return;
    const steps = stepsOf(found['steps'] as string);
    const servedMs = Date.parse(found['time'] as string);
    const tookMs = steps.reduce((sum, [, ms]) => sum + ms, 0);
    this.#note(TO_FIRST_STEP, servedMs - tookMs - killedMs);
    for (const [step, ms] of steps) this.#note(step, ms);
    this.#note(TO_ACKNOWLEDGEMENT, acknowledgedMs - servedMs);
  }

  /** Seconds. */
  toString(): string {
    const rows = [...this.#timesMs].map(([step, times]) => [
      step,
      String(times.length),
      ...PERCENTILES.map((p) => (percentile(times, p) / 1000).toFixed(2)),
    ]);
    const loads = [0, 0.5, 1].map((p) => percentile(this.#loads, p).toFixed(1)).join(' / ');
    return [
      aligned([['step, seconds', 'times', 'p50', 'p90', 'p99', 'max'], ...rows]),
      `load of the machine, lowest / p50 / highest: ${loads}`,
    ].join('\n');
  }

  #note(step: string, ms: number): void {
    const times = this.#timesMs.get(step) ?? [];
    times.push(ms);
    this.#timesMs.set(step, times);
  }
}

/** `silence 4019, last look 12` as names and milliseconds. */
const stepsOf = (steps: string): [string, number][] =>
  steps.split(', ').map((text) => {
    const words = text.split(' ');
    return [words.slice(0, -1).join(' '), Number(words.at(-1))];
  });
