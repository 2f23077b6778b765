/** How chats search the index. */
import type { Settings } from '../../model/settings.ts';
import { NumberField } from '../parts/number-field.tsx';
import { TextField } from '../parts/text-field.tsx';
import { JsonField } from './compound-controls.tsx';
import type { ControlProps } from './control.ts';

type Chat = NonNullable<Settings['chat']>;

const LINES_OF_TEMPLATE = 3;

export function ChatFields({ value, onChange }: ControlProps<Settings['chat']>) {
  const chat: Chat = value ?? {};
  const change = (part: Partial<Chat>) => onChange({ ...chat, ...part });
  const text = (label: string, name: 'description' | 'documentTemplate') => (
    <TextField
      label={label}
      rows={LINES_OF_TEMPLATE}
      value={chat[name] ?? ''}
      onChange={(next) => change({ [name]: next })}
    />
  );
  return (
    <>
      {text('What the documents are, for the model', 'description')}
      {text('Template of a document for the model (Liquid)', 'documentTemplate')}
      <NumberField
        label="Longest rendered template, bytes"
        value={chat.documentTemplateMaxBytes ?? null}
        min={1}
        onChange={(documentTemplateMaxBytes) => change({ documentTemplateMaxBytes })}
      />
      <JsonField
        label="Parameters of its searches, JSON"
        value={chat.searchParameters}
        onChange={(searchParameters) =>
          change({
            searchParameters: (searchParameters ?? {}) as NonNullable<Chat['searchParameters']>,
          })
        }
      />
    </>
  );
}
