/** The route that exports indexes to another instance. */
import { ApiError } from '../../core/errors.ts';
import { isHttpUrl } from '../../core/http-url.ts';
import { humanSize } from '../../core/human-size.ts';
import type { ExportedIndexes } from '../../model/export.ts';
import { filterForm, unparsedFilter } from '../../model/filter/filter-form.ts';
import { isIndexUidPattern } from '../../model/index-uid-pattern.ts';
import { ExportBody } from '../../model/schemas/export-schema.ts';
import type { ApiContext } from '../contract/context.ts';
import { enqueued } from '../contract/enqueued.ts';
import { defineRoute, type Route } from '../contract/route.ts';

const MEBIBYTE = 1024 ** 2;
/** More than a number has. */
const ALL_DECIMALS = 20;
/** Bytes reserved for the rest of a request with documents. */
const MARGIN_BYTES = MEBIBYTE;
const PAYLOAD_BYTES_MIN = 20 * MEBIBYTE;

type GivenIndexes = Readonly<
  Record<string, { readonly filter?: unknown; readonly overrideSettings?: boolean }>
>;

function checkUrl(url: string): void {
  if (isHttpUrl(url)) return;
  throw new ApiError(
    'invalid_export_url',
    `\`url\` is ${JSON.stringify(url.slice(0, 80))}, expected an absolute \`http:\` or \`https:\` URL of another instance.`,
  );
}

/** The default fits an instance with the same launch options. */
function payloadBytesOf(given: string | number | null, { config }: ApiContext): number {
  if (given === null) return Math.max(config.payloadBytesMax - MARGIN_BYTES, PAYLOAD_BYTES_MIN);
  const bytes = typeof given === 'number' ? given : config.parseSize(given);
  if (bytes > 0) return bytes;
  throw new ApiError(
    'invalid_export_payload_size',
    `\`payloadSize\` is ${JSON.stringify(given)}, expected a size such as \`24MiB\`, or bytes.`,
  );
}

/** null for a filter without effect. */
async function checkedFilter(filter: unknown, context: ApiContext): Promise<unknown> {
  const code = 'invalid_export_index_filter';
  const unparsed = unparsedFilter(filterForm(filter, code), context.features);
  const isSelecting = unparsed !== null && (await context.payloads.selects(unparsed, code));
  return isSelecting ? filter : null;
}

async function indexesOf(
  given: GivenIndexes,
  context: ApiContext,
): Promise<Record<string, ExportedIndexes>> {
  const exported: [string, ExportedIndexes][] = [];
  for (const [pattern, { filter = null, overrideSettings = false }] of Object.entries(given)) {
    if (!isIndexUidPattern(pattern)) {
      throw new ApiError(
        'invalid_export_indexes_patterns',
        `\`indexes\` names ${JSON.stringify(pattern.slice(0, 80))}, expected an index uid, the beginning of one followed by \`*\`, or \`*\`.`,
      );
    }
    const checked = filter === null ? null : await checkedFilter(filter, context);
    exported.push([context.aliases.resolve(pattern), { filter: checked, overrideSettings }]);
  }
  return Object.fromEntries(exported);
}

export const exportRoutes: readonly Route[] = [
  defineRoute({
    id: 'export',
    endpoint: 'POST /export',
    action: 'export',
    summary: 'Export indexes with settings and documents to another instance',
    body: ExportBody,
    errors: ['invalid_export_indexes_patterns'],
    handler: async (context, { body }) => {
      const { url, apiKey = null, payloadSize = null, indexes } = body;
      checkUrl(url);
      const request = {
        url,
        apiKey,
        payloadBytesMax: payloadBytesOf(payloadSize, context),
        indexes: await indexesOf(indexes ?? { '*': {} }, context),
      };
      const shownSize =
        payloadSize === null ? null : humanSize(request.payloadBytesMax, ALL_DECIMALS);
      const task = { type: 'export', request, payloadSize: shownSize } as const;
      return enqueued(context.indexer, task, 200);
    },
  }),
];
