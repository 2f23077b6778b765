/** Entries of a list, each with its control and a button that removes it. */
import type { ComponentChildren } from 'preact';
import { RemoveButton } from './button.tsx';
import { Note } from './chips.tsx';

interface RowsProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly nameOf: (item: Item) => string;
  /** Warning about an item; null = none. */
  readonly noteOf?: (item: Item) => string | null;
  readonly control: (item: Item, at: number) => ComponentChildren;
  /** True if an item cannot be removed. */
  readonly isFixed?: (item: Item) => boolean;
  readonly onRemove: (item: Item) => void;
}

export function Rows<Item>(props: RowsProps<Item>) {
  const { label, items, nameOf, noteOf, control, isFixed, onRemove } = props;
  if (items.length === 0) return null;
  return (
    <ul class="rows plain" aria-label={label}>
      {items.map((item, at) => (
        <li key={nameOf(item)} class="row">
          <span class="item">
            {nameOf(item)} <Note text={noteOf?.(item) ?? null} />
          </span>
          {control(item, at)}
          {isFixed?.(item) !== true && (
            <RemoveButton
              label={`Remove ${nameOf(item)} from ${label}`}
              onClick={() => onRemove(item)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
