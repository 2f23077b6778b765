/**
 * Task details in dumps: an object whose only member is named after the kind of details; members
 * are in snake_case.
 */

import { isObject, type Json, objectOf } from '../../core/json.ts';
import { snakeCase } from '../../core/snake-case.ts';
import { portableUpdate } from '../../model/settings.ts';
import type { TaskType } from '../../model/task.ts';
import { dumpedActions, readActions } from './dump-rules.ts';
import { dumpedSettings, readSettings } from './dump-settings.ts';

/** Kind of details by task type; absent if the details decide it, or if there are none. */
const TAGS: Readonly<Partial<Record<TaskType, string>>> = {
  documentAdditionOrUpdate: 'DocumentAdditionOrUpdate',
  documentEdition: 'DocumentEdition',
  indexCreation: 'IndexInfo',
  indexUpdate: 'IndexInfo',
  indexDeletion: 'ClearAll',
  indexSwap: 'IndexSwap',
  indexCompaction: 'IndexCompaction',
  taskCancelation: 'TaskCancelation',
  taskDeletion: 'TaskDeletion',
  dumpCreation: 'Dump',
  export: 'Export',
  networkTopologyChange: 'NetworkTopologyChange',
  dsrClear: 'ClearAll',
};

const toCamel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase());

const renamed = (members: Json, rename: (name: string) => string): Json =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [rename(name), value]));

/** null if the type has none. @param details as the API shows them */
export function dumpedDetails(type: TaskType, indexUid: string | null, details: Json): Json | null {
  if (type === 'settingsUpdate')
    return { SettingsUpdate: { settings: dumpedSettings(portableUpdate(details) as Json) } };
  if (type === 'documentDeletion') return deletionDetails(details);
  if (type === 'upgradeDatabase') {
    const { upgradeFrom, upgradeTo } = details;
    return { UpgradeDatabase: { from: numbersOf(upgradeFrom), to: numbersOf(upgradeTo) } };
  }
  if (type === 'dsrUpdate') return { DsrUpdate: ruleChange(null, details['rule'] ?? null) };
  const tag = TAGS[type];
  if (tag === undefined) return null;
  const members = renamed(details, snakeCase);
  return { [tag]: type === 'indexCompaction' ? { index_uid: indexUid, ...members } : members };
}

/**
 * A change of a search rule, in kinds and details.
 * @param uid null if unknown: a finished task does not contain it, other servers require one
 * @param update null = the rule is deleted
 */
export const ruleChange = (uid: string | null, update: unknown): Json => {
  const name = uid ?? 'unknown';
  if (update === null) return { deletion: name };
  return { createOrUpdate: { rule_id: name, update: dumpedActions(objectOf(update)) } };
};

function deletionDetails({ providedIds, deletedDocuments, originalFilter }: Json): Json {
  const counts = { deleted_documents: deletedDocuments };
  if (typeof originalFilter === 'string')
    return { DocumentDeletionByFilter: { original_filter: originalFilter, ...counts } };
  if (providedIds === undefined) return { ClearAll: counts };
  return { DocumentDeletion: { provided_ids: providedIds, ...counts } };
}

/** In the form of the API. @param given from the task in the dump; may be absent */
export function readDetails(given: unknown): Json {
  if (!isObject(given)) return {};
  const [[tag, members] = ['', null]] = Object.entries(given);
  if (!isObject(members)) return {};
  switch (tag) {
    case 'SettingsUpdate':
      return readSettings(objectOf(members['settings']));
    case 'DocumentDeletion':
      return { ...renamed(members, toCamel), originalFilter: null };
    case 'DocumentDeletionByFilter':
      return { providedIds: 0, ...renamed(members, toCamel) };
    case 'UpgradeDatabase': {
      const { from, to } = members;
      return { upgradeFrom: versionOf(from), upgradeTo: versionOf(to) };
    }
    case 'IndexInfo': {
      const { primary_key, ...names } = members;
      const given = Object.entries(names).filter(([, name]) => name !== null);
      return { primaryKey: primary_key ?? null, ...renamed(Object.fromEntries(given), toCamel) };
    }
    case 'DsrUpdate': {
      const { update } = objectOf(members['createOrUpdate']);
      return {
        ...(update !== undefined && { rule: readActions(objectOf(update)) }),
        updatedRules: 1,
      };
    }
    case 'IndexCompaction': {
      const { index_uid: _, ...sizes } = members;
      return renamed(sizes, toCamel);
    }
    default:
      return renamed(members, toCamel);
  }
}

/** `v1.49.0` → [1, 49, 0] */
export const numbersOf = (version: unknown): number[] =>
  String(version).replace(/^v/, '').split('.').map(Number);

const versionOf = (numbers: unknown): string =>
  Array.isArray(numbers) ? `v${numbers.join('.')}` : String(numbers);
