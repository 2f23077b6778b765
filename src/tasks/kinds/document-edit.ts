/** Edits documents with a function; no other task joins the batch. */
import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import type { DocumentEdit } from '../../model/task.ts';
import { withWriter } from '../processing/prepared-batch.ts';
import { succeeded } from '../processing/task-outcomes.ts';
import type { ContentPlace, TaskWork } from '../store/stored-task.ts';
import type { DraftOf, LoneKind } from './task-kind.ts';

/** The payload key holds the `DocumentEdit` as JSON. */
interface EditWork extends TaskWork {
  readonly type: 'documentEdition';
  readonly content: ContentPlace;
}

export const documentEdit: LoneKind<DraftOf<'documentEdition'>, EditWork> = {
  turn: 'alone',

  create({ type, function: source, filter, context }) {
    const edit: DocumentEdit = { function: source, filter, context };
    const contentBytes = Buffer.from(JSON.stringify(edit));
    const originalFilter = filter === null ? null : JSON.stringify(filter);
    const counts = { deletedDocuments: null, editedDocuments: null };
    return {
      work: { type, content: { kind: 'beside', bytes: contentBytes.length } },
      details: { ...counts, originalFilter, context, function: source },
      contentBytes,
    };
  },

  dumped(_work, _stored, contentBytes) {
    return dumpedKinds.edit(JSON.parse(new TextDecoder().decode(contentBytes ?? undefined)));
  },

  async process(task, uid, context) {
    context.progress.plan(['editing documents', 'committing']);
    const catalog = context.catalog.begin();
    catalog.must(uid);
    const [content] = await context.tasks.payloads([task.uid]);
    if (!content) throw new Error(`the function of task ${task.uid} is missing`);
    const edit = JSON.parse(new TextDecoder().decode(content)) as DocumentEdit;
    const { change, written } = await withWriter(uid, catalog, context, (writer) =>
      writer.editDocuments(edit, context.progress),
    );
    const { segments, newSegments, seenFieldPaths, editedDocuments, deletedDocuments } = change;
    if (newSegments.length > 0 || deletedDocuments > 0) {
      catalog.update(uid, { segments, seenFieldPaths, updatedAt: context.nowText });
    }
    const outcomes = [succeeded(task, { editedDocuments, deletedDocuments })];
    return { outcomes, catalog, written };
  },
};
