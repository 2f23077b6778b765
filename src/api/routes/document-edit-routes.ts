/** The route that edits documents with a function, which is checked here and run by the indexer. */
import { ApiError } from '../../core/errors.ts';
import { EditFunction } from '../../edit-function/edit-function.ts';
import { ScriptError } from '../../edit-function/script-error.ts';
import { DocumentDeletionQuery, DocumentEditBody } from '../../model/schemas/document-schema.ts';
import type { DocumentEdit } from '../../model/task.ts';
import { enqueued } from '../contract/enqueued.ts';
import { requireFeature } from '../contract/require-feature.ts';
import { defineRoute, type Route } from '../contract/route.ts';
import { requireSelection } from './documents-routes.ts';

/** Maximum bytes of a context, which is stored in the task and shown with it. */
const CONTEXT_BYTES_MAX = 262_144;

function checkContext(context: DocumentEdit['context']): void {
  const bytes = context === null ? 0 : Buffer.byteLength(JSON.stringify(context));
  if (bytes <= CONTEXT_BYTES_MAX) return;
  throw new ApiError(
    'invalid_document_edition_context',
    `\`context\` has ${bytes} bytes, at most ${CONTEXT_BYTES_MAX} are allowed.`,
  );
}

function checkFunction(source: string): void {
  try {
    EditFunction.compile(source);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new ApiError('bad_request', `\`function\` does not compile: ${error.message}.`);
  }
}

export const documentEditRoutes: readonly Route[] = [
  defineRoute({
    id: 'documents.edit',
    endpoint: 'POST /indexes/:indexUid/documents/edit',
    action: 'documents.edit',
    summary: 'Edit documents with a function',
    query: DocumentDeletionQuery,
    body: DocumentEditBody,
    errors: ['feature_not_enabled'],
    handler: async (context, { params: { indexUid }, query, body }) => {
      const { features } = context;
      requireFeature(features, 'editDocumentsByFunction', 'Editing documents by a function');
      const edit: DocumentEdit = {
        function: body.function,
        filter: body.filter ?? null,
        context: body.context ?? null,
      };
      checkContext(edit.context);
      checkFunction(edit.function);
      if (edit.filter !== null)
        await requireSelection(
          context,
          edit.filter,
          '`filter` is empty; leave it out to edit all documents.',
        );
      return enqueued(context.indexer, { type: 'documentEdition', indexUid, ...edit, ...query });
    },
  }),
];
