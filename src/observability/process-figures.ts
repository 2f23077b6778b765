/** Memory and processor time of this process. */
import { counter, gauge, type Metric } from './metric.ts';

/**
 * @param name which of the instance's processes it is
 * @param mappedBytes of the buffers of this thread, what is mapped files and no memory
 */
export function processMetrics(name: string, mappedBytes: number): Metric[] {
  const labels = { process: name };
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const { active } = performance.eventLoopUtilization();
  return [
    gauge('gannet_processes', 'Processes that have been asked for these figures', [[labels, 1]]),
    gauge('gannet_resident_memory_bytes', 'Memory, mapped files included', [[labels, rss]]),
    counter('gannet_cpu_seconds_total', 'Processor time of all threads', [
      [labels, (user + system) / 1e6],
    ]),
    gauge('gannet_heap_used_bytes', 'JavaScript objects of the main thread', [[labels, heapUsed]]),
    gauge('gannet_external_memory_bytes', 'Buffers of the main thread', [
      [labels, external - mappedBytes],
    ]),
    counter('gannet_event_loop_busy_seconds_total', 'Time that the event loop was not waiting', [
      [labels, active / 1000],
    ]),
  ];
}
