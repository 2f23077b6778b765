/** Edits documents with a function; no other task joins the batch. */
import { dumpedKinds } from '../../dumps/dump-kinds.ts';
import type { DocumentEdition } from '../../model/task.ts';
import { failed, succeeded } from '../processing/task-outcomes.ts';
import { withWriter } from '../processing/with-writer.ts';
import type { ContentPlace, TaskWork } from '../store/stored-task.ts';
import type { DraftOf, LoneKind } from './task-kind.ts';

/** The payload key holds the `DocumentEdition` as JSON. */
interface EditionWork extends TaskWork {
  readonly type: 'documentEdition';
  readonly content: ContentPlace;
}

export const documentEdition: LoneKind<DraftOf<'documentEdition'>, EditionWork> = {
  turn: 'alone',

  create({ type, function: source, filter, context }) {
    const edition: DocumentEdition = { function: source, filter, context };
    const contentBytes = Buffer.from(JSON.stringify(edition));
    const originalFilter = filter === null ? null : JSON.stringify(filter);
    const counts = { deletedDocuments: null, editedDocuments: null };
    return {
      work: { type, content: { kind: 'beside', bytes: contentBytes.length } },
      details: { ...counts, originalFilter, context, function: source },
      contentBytes,
    };
  },

  dumped(_work, _stored, contentBytes) {
    return dumpedKinds.edition(JSON.parse(new TextDecoder().decode(contentBytes ?? undefined)));
  },

  async process(task, uid, context) {
    context.progress.plan(['editing documents', 'committing']);
    const catalog = context.catalog.begin();
    catalog.must(uid);
    const [content] = await context.tasks.payloads([task.uid]);
    if (!content) throw new Error(`the function of task ${task.uid} is missing`);
    const edition = JSON.parse(new TextDecoder().decode(content)) as DocumentEdition;
    const used = await withWriter(uid, catalog, context, (writer) =>
      writer.editDocuments(edition, context.progress),
    );
    if (used.error !== null) return { outcomes: [failed(task, used.error)], catalog };
    const { segments, newSegments, metPaths, editedDocuments, deletedDocuments } = used.change;
    if (newSegments.length > 0 || deletedDocuments > 0) {
      catalog.update(uid, { segments, metPaths, updatedAt: context.nowText });
    }
    const outcomes = [succeeded(task, { editedDocuments, deletedDocuments })];
    return { outcomes, catalog, written: used.written };
  },
};
