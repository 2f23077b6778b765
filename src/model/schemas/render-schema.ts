/** Schema of the body for rendering a template; `kind` decides which members are allowed. */
import Type, { type Static } from 'typebox';
import { anything, closed, count, INDEX_UID, oneOf, optional, text } from './schema.ts';

const TEMPLATE_KINDS = [
  'documentTemplate',
  'chatDocumentTemplate',
  'indexingFragment',
  'searchFragment',
  'inlineDocumentTemplate',
  'inlineFragment',
] as const;
const INPUT_KINDS = ['indexDocument', 'inlineDocument', 'inlineSearch'] as const;

const TEMPLATE = 'invalid_render_template';
const INPUT = 'invalid_render_input';

const RenderTemplate = closed(
  {
    kind: { ...oneOf([...TEMPLATE_KINDS], TEMPLATE), missing: TEMPLATE },
    indexUid: optional(Type.String({ ...INDEX_UID, code: TEMPLATE })),
    embedder: optional(text(TEMPLATE)),
    fragment: optional(text(TEMPLATE)),
    inline: Type.Optional(anything({ code: TEMPLATE })),
    documentTemplateMaxBytes: optional(count(TEMPLATE, 1)),
  },
  { code: TEMPLATE, missing: 'bad_request' },
);
export type RenderTemplate = Static<typeof RenderTemplate>;

const RenderInput = closed(
  {
    kind: { ...oneOf([...INPUT_KINDS], INPUT), missing: INPUT },
    indexUid: optional(Type.String({ ...INDEX_UID, code: INPUT })),
    id: optional(text(INPUT, 'the id of a document as a string')),
    inline: Type.Optional(anything({ code: INPUT })),
  },
  { code: INPUT },
);
export type RenderInput = Static<typeof RenderInput>;

export const RenderBody = closed({
  template: RenderTemplate,
  input: optional(RenderInput),
});
