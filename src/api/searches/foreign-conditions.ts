/**
 * `_foreign` in filters that several instances get: the ids of the documents that it selects on all
 * of them take its place, before the queries are sent.
 */
import type { Access } from '../../auth/access.ts';
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { Requester } from '../../core/caller.ts';
import { Deadline } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import { FilterClock } from '../../model/filter/filter-clock.ts';
import { bothFilters, type FilterForm, filterForm } from '../../model/filter/filter-form.ts';
import type { ForeignCondition } from '../../model/filter/filter-node.ts';
import {
  errorInForeign,
  foreignIndexMissing,
  refusal,
  requireForeignKey,
  tooManyForeign,
} from '../../model/filter/foreign-refusals.ts';
import { mayBeForeign, replaceForeign } from '../../model/filter/replace-foreign.ts';
import { PARALLEL_INSTANCES_MAX } from '../../model/network.ts';
import type { ApiContext } from '../contract/context.ts';
import { ForeignDocuments, isKnown, type KnownKey } from './foreign-documents.ts';
import { instancesToAsk } from './network-queries.ts';

export class ForeignConditions {
  readonly #documents: ForeignDocuments;
  /** Replacements of the different conditions. */
  readonly #texts = new Map<string, Promise<string>>();
  /** Of all replacements. */
  #length = 0;

  constructor(documents: ForeignDocuments) {
    this.#documents = documents;
  }

  /**
   * @param index that the filter is for; undefined = this instance has no such index
   * @param code of errors in the filter
   * @throws ApiError also if an instance fails: with a part of the ids, `NOT` and the filters of
   * callers would select documents that they exclude
   */
  async replaced(
    form: FilterForm | null,
    index: PublishedIndex | undefined,
    code: ErrorCode,
  ): Promise<FilterForm | null> {
    if (form === null || !mayBeForeign(form)) return form;
    const length = [form].flat(2).reduce((sum, text) => sum + text.length, 0);
    const lengthMax = limits.networkForeignFilterLengthMax;
    if (length > lengthMax)
      throw new ApiError(
        code,
        `The filter has ${length} characters; with \`_foreign\`, in a request to several instances, it may have ${lengthMax}.`,
      );
    const { features, clock } = this.#documents.context;
    const deadline = Deadline.after(0, clock.monotonic);
    const parsing = { code, features, clock: new FilterClock(deadline, code) };
    return replaceForeign(form, parsing, (condition) => this.#replacement(condition, index, code));
  }

  /** The access with the caller's filter for an index replaced. @param index as for `replaced` */
  async bound(access: Access, uid: string, index: PublishedIndex | undefined): Promise<Access> {
    const binding = filterForm(access.searchFilter(uid), 'invalid_search_filter');
    const replaced = await this.replaced(binding, index, 'invalid_search_filter');
    if (replaced === binding) return access;
    return {
      ...access,
      searchFilter: (other) => (other === uid ? replaced : access.searchFilter(other)),
    };
  }

  async #replacement(
    condition: ForeignCondition,
    index: PublishedIndex | undefined,
    code: ErrorCode,
  ): Promise<string> {
    if (index === undefined) throw foreignIndexMissing(condition);
    const { networkForeignConditionsMax: countMax, networkForeignIdBytesMax: bytesMax } = limits;
    const { attribute, filterText, column } = condition;
    const name = JSON.stringify([index.manifest.uid, attribute, filterText]);
    let text = this.#texts.get(name);
    if (text === undefined) {
      if (this.#texts.size === countMax)
        throw refusal(
          code,
          column,
          `is one of more than ${countMax} different ones in a request to several instances. Send several requests`,
        );
      text = this.#onIds(condition, index, code);
      this.#texts.set(name, text);
    }
    this.#length += (await text).length;
    if (this.#length > bytesMax)
      throw refusal(
        code,
        column,
        `selects too many documents: in a request to several instances the ids of all of them may have ${bytesMax} bytes. Narrow it down`,
      );
    return text;
  }

  /** A condition on the ids of the selected documents. */
  async #onIds(
    condition: ForeignCondition,
    index: PublishedIndex,
    code: ErrorCode,
  ): Promise<string> {
    const { attribute, filterText, column } = condition;
    requireForeignKey(condition, index.manifest.settings);
    const key = this.#documents.keysOf(index).find(({ fieldName }) => fieldName === attribute);
    if (key === undefined) throw foreignIndexMissing(condition);
    const { uid } = key.index.manifest;
    if (!isKnown(key))
      throw refusal(
        code,
        column,
        `needs the primary key of the index \`${uid}\`, which has no documents here. Name it as \`foreignPrimaryKey\` in the setting \`foreignKeys\``,
      );
    const ids = await this.#idsOf(key, filterText);
    if (ids.size > limits.foreignDocumentsMax) throw tooManyForeign(code, column, uid, null);
    return `${JSON.stringify(attribute)} IN [${[...ids].map((id) => `"${id}"`).join(',')}]`;
  }

  /** Of all instances; more than the limit if there are more. */
  async #idsOf(key: KnownKey, filterText: string): Promise<Set<string>> {
    const selection = {
      filter: bothFilters(key.binding, filterText, 'invalid_search_filter'),
      ids: null,
      fields: [key.primaryKey],
      limit: limits.foreignDocumentsMax + 1,
    };
    const { instances, caller } = this.#documents;
    const pages = await mapInParallel(instances, PARALLEL_INSTANCES_MAX, async (name) => {
      try {
        return await this.#documents.read(name, key, selection);
      } catch (error) {
        if (!(error instanceof ApiError) || caller.signal?.aborted === true) throw error;
        throw errorInForeign(key.index.manifest.uid, key.fieldName, error);
      }
    });
    return new Set(pages.flatMap((documents) => [...documents.keys()]));
  }
}

export interface NetworkRequest {
  readonly index: PublishedIndex;
  readonly access: Access;
  /** Decides which indexes of foreign keys are included; null = none. */
  readonly foreignAccess: Access | null;
  readonly caller: Requester;
}

/** The body and the access of a request to all instances for one index, with ids. */
export async function withForeignIds<Body extends { readonly filter?: unknown }>(
  context: ApiContext,
  { index, access, foreignAccess, caller }: NetworkRequest,
  body: Body,
  code: ErrorCode,
): Promise<{ readonly body: Body; readonly access: Access }> {
  const instances = instancesToAsk(context);
  const documents = ForeignDocuments.of(context, { access: foreignAccess, caller, instances });
  if (documents === null) return { body, access };
  const conditions = new ForeignConditions(documents);
  const filter = await conditions.replaced(filterForm(body.filter, code), index, code);
  const bound = await conditions.bound(access, index.manifest.uid, index);
  return { body: { ...body, filter }, access: bound };
}
