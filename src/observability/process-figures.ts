/** Memory and processor time of this process. */
import { counter, gauge, type Metric } from './metric.ts';

/** @param name which of the instance's processes it is */
export function processMetrics(name: string): Metric[] {
  const labels = { process: name };
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const { active } = performance.eventLoopUtilization();
  return [
    gauge('gannet_processes', 'Processes that have been asked for these figures', [[labels, 1]]),
    gauge('gannet_resident_memory_bytes', 'Memory, mapped files included', [[labels, rss]]),
    gauge('gannet_heap_used_bytes', 'JavaScript objects of the main thread', [[labels, heapUsed]]),
    gauge('gannet_external_memory_bytes', 'Buffers of the main thread', [[labels, external]]),
    counter('gannet_cpu_seconds_total', 'Processor time of all threads', [
      [labels, (user + system) / 1e6],
    ]),
    counter('gannet_event_loop_busy_seconds_total', 'Time the main thread was not waiting', [
      [labels, active / 1000],
    ]),
  ];
}
