/** Memory and processor time of this process and of its threads that serve. */
import { counter, gauge, type Metric } from './metric.ts';

/**
 * @param name which of the instance's processes it is
 * @param mappedBytes of the buffers of this thread, what is mapped files and no memory
 */
export function processMetrics(name: string, mappedBytes: number): Metric[] {
  const labels = { process: name };
  const { rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    gauge('gannet_processes', 'Processes that have been asked for these figures', [[labels, 1]]),
    gauge('gannet_resident_memory_bytes', 'Memory, mapped files included', [[labels, rss]]),
    counter('gannet_cpu_seconds_total', 'Processor time of all threads', [
      [labels, (user + system) / 1e6],
    ]),
    ...threadMetrics(name, mappedBytes),
  ];
}

/** Of this thread alone, which has a loop that serves; else as `processMetrics`. */
export function threadMetrics(name: string, mappedBytes: number): Metric[] {
  const labels = { process: name };
  const { heapUsed, external } = process.memoryUsage();
  const { active } = performance.eventLoopUtilization();
  return [
    gauge('gannet_heap_used_bytes', 'JavaScript objects of the main thread and of serving ones', [
      [labels, heapUsed],
    ]),
    gauge('gannet_external_memory_bytes', 'Buffers of the main thread and of serving ones', [
      [labels, external - mappedBytes],
    ]),
    counter(
      'gannet_event_loop_busy_seconds_total',
      'Time the main thread and serving ones were not waiting',
      [[labels, active / 1000]],
    ),
  ];
}
