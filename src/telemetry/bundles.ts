/** What one request to the server that is told may hold: events, cut into bundles of bounded size. */
import type { TelemetryBundle } from '../model/usage-report.ts';

/** Bytes of a bundle as JSON. */
export const BUNDLE_BYTES_MAX = 500_000;

type Events = TelemetryBundle['events'];
type Head = Omit<TelemetryBundle, 'events'>;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Each holds the head and as many events as fit, at least one. */
export function toBundles(
  head: Head,
  events: Events,
  bytesMax: number = BUNDLE_BYTES_MAX,
): TelemetryBundle[] {
  const headBytes = bytesOf({ ...head, events: [] });
  const parts: Events[number][][] = [[]];
  let bytes = headBytes;
  for (const event of events) {
    const more = bytesOf(event) + 1;
    if (bytes + more > bytesMax && parts.at(-1)?.length !== 0) {
      parts.push([]);
      bytes = headBytes;
    }
    parts.at(-1)?.push(event);
    bytes += more;
  }
  return parts.map((part) => ({ ...head, events: part }));
}
