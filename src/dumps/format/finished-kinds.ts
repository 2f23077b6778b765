/**
 * Kinds of finished tasks in dumps, derived from their details because their payload is deleted.
 */
import { parseJson, textOrNull } from '../../core/json.ts';
import type { ExportRequest } from '../../model/export.ts';
import type { SearchRuleBody } from '../../model/schemas/search-rule-schema.ts';
import { portableUpdate } from '../../model/settings.ts';
import type { TaskRecord } from '../../model/task.ts';
import { dumpedKinds } from './dump-kinds.ts';

/** Details contain filters as JSON; other text is the filter itself. */
function filterOf(shown: unknown): unknown {
  if (typeof shown !== 'string') return null;
  const filter = parseJson(shown);
  return filter === undefined ? shown : filter;
}

/** @param dump the content of a dump creation */
export function finishedKind(
  { type, indexUid, details = {} }: TaskRecord,
  dump: { readonly keys: readonly unknown[]; readonly instanceUid: string | null },
): unknown {
  const { originalFilter, primaryKey } = details;
  switch (type) {
    case 'documentAdditionOrUpdate':
      return dumpedKinds.addition({
        method: 'replace',
        primaryKey: null,
        documentCount: Number(details['receivedDocuments'] ?? 0),
        allowIndexCreation: true,
      });
    case 'documentDeletion':
      if (textOrNull(originalFilter) !== null)
        return dumpedKinds.deletionByFilter(filterOf(originalFilter));
      return 'providedIds' in details ? dumpedKinds.deletionByIds([]) : dumpedKinds.clear();
    case 'documentEdition': {
      const { function: source, context } = details;
      return dumpedKinds.edit({
        function: textOrNull(source) ?? '',
        filter: filterOf(originalFilter),
        context: (context ?? null) as Readonly<Record<string, unknown>> | null,
      });
    }
    case 'settingsUpdate':
      return dumpedKinds.settings({
        settings: portableUpdate(details),
        isReset: false,
        allowIndexCreation: true,
      });
    // Other servers refuse a kind that they do not know.
    case 'indexBranch':
    case 'indexCreation':
      return dumpedKinds.indexCreation(textOrNull(primaryKey));
    case 'indexUpdate':
      return dumpedKinds.indexUpdate(textOrNull(primaryKey), textOrNull(details['newIndexUid']));
    case 'indexDeletion':
      return dumpedKinds.indexDeletion();
    case 'indexCompaction':
      return dumpedKinds.indexCompaction(indexUid);
    case 'indexSwap':
      return dumpedKinds.indexSwap(details['swaps']);
    case 'taskCancelation':
      return dumpedKinds.taskCancelation(textOrNull(originalFilter) ?? '', []);
    case 'taskDeletion':
      return dumpedKinds.taskDeletion(textOrNull(originalFilter) ?? '', []);
    case 'dumpCreation':
      return dumpedKinds.dumpCreation(dump.keys, dump.instanceUid);
    case 'snapshotCreation':
      return dumpedKinds.snapshotCreation();
    case 'export':
      return dumpedKinds.export({
        url: textOrNull(details['url']) ?? '',
        apiKey: textOrNull(details['apiKey']),
        payloadSize: textOrNull(details['payloadSize']),
        indexes: (details['indexes'] ?? {}) as ExportRequest['indexes'],
      });
    case 'upgradeDatabase':
      return dumpedKinds.upgradeDatabase(textOrNull(details['upgradeFrom']) ?? '');
    case 'dsrUpdate':
      return dumpedKinds.ruleUpdate(null, (details['rule'] ?? null) as SearchRuleBody | null);
    case 'dsrClear':
      return dumpedKinds.ruleClear();
    default:
      return { [type]: {} };
  }
}
