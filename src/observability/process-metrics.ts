/** Metrics of memory and CPU time of this process. */
import { counter, gauge, type Metric } from './metric.ts';

/**
 * @param name of the process within the instance
 * @param mappedBytes bytes of this thread's buffers that are mapped files, not memory
 */
export function processMetrics(name: string, mappedBytes: number): Metric[] {
  const labels = { process: name };
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const { active } = performance.eventLoopUtilization();
  return [
    gauge('gannet_processes', 'Processes that reported metrics', [[labels, 1]]),
    gauge('gannet_resident_memory_bytes', 'Resident memory, mapped files included', [
      [labels, rss],
    ]),
    counter('gannet_cpu_seconds_total', 'CPU time of all threads', [
      [labels, (user + system) / 1e6],
    ]),
    gauge('gannet_heap_used_bytes', 'JavaScript heap of the main thread', [[labels, heapUsed]]),
    gauge('gannet_external_memory_bytes', 'External buffers of the main thread', [
      [labels, external - mappedBytes],
    ]),
    counter('gannet_event_loop_busy_seconds_total', 'Busy time of the event loop', [
      [labels, active / 1000],
    ]),
  ];
}
