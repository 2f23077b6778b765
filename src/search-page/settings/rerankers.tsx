/** Rerankers of an index, as JSON by name. */
import { isObject } from '../../core/json.ts';
import type { Settings } from '../../model/settings.ts';
import { JsonField } from './compound-controls.tsx';
import type { ControlProps } from './control.ts';

export const Rerankers = ({ value, onChange }: ControlProps<Settings['rerankers']>) => (
  <JsonField
    label='JSON by name: {"default": {"source": "cohere", "apiKey": "KEY"}}'
    value={value}
    onChange={(next) => onChange((isObject(next) ? next : {}) as Settings['rerankers'])}
  />
);
