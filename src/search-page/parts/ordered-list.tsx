/** A list whose order the user changes by dragging, with buttons, or with the arrow keys. */
import { useState } from 'preact/hooks';
import { Button, RemoveButton } from './button.tsx';
import { type ListProps, Note } from './chips.tsx';

export function OrderedList({ label, items, onChange, noteOf }: ListProps) {
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [news, setNews] = useState('');
  const move = (from: number, to: number) => {
    const item = items[from];
    if (item === undefined || to < 0 || to >= items.length || from === to) return;
    onChange(items.toSpliced(from, 1).toSpliced(to, 0, item));
    setNews(`${item}: place ${to + 1} of ${items.length}`);
  };
  /** Moves with a key, and lets the focus follow the item. */
  const moveByKey = (event: KeyboardEvent, from: number) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(from, from + by);
    // The browser drops the focus when the row moves.
    const handle = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => handle.focus());
  };
  const drop = (to: number) => {
    if (dragged !== null) move(dragged, to);
    setDragged(null);
    setOver(null);
  };
  return (
    <>
      <ol class="ordered plain" aria-label={label}>
        {items.map((item, at) => (
          <li
            key={item}
            draggable
            class={over === at && dragged !== at ? 'row over' : 'row'}
            onDragStart={() => setDragged(at)}
            onDragOver={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              setOver(at);
            }}
            onDragEnd={() => drop(dragged ?? at)}
            onDrop={(event) => {
              event.preventDefault();
              drop(at);
            }}
          >
            <Handle item={item} at={at} count={items.length} onKey={moveByKey} />
            <span class="item">
              {item} <Note text={noteOf?.(item) ?? null} />
            </span>
            <RowButtons
              list={label}
              item={item}
              isFirst={at === 0}
              isLast={at === items.length - 1}
              onMove={(by) => move(at, at + by)}
              onRemove={() => onChange(items.filter((_, place) => place !== at))}
            />
          </li>
        ))}
      </ol>
      <p class="hidden" role="status">
        {news}
      </p>
    </>
  );
}

interface HandleProps {
  readonly item: string;
  readonly at: number;
  readonly count: number;
  readonly onKey: (event: KeyboardEvent, at: number) => void;
}

const Handle = ({ item, at, count, onKey }: HandleProps) => (
  <Button
    text="⠿"
    class="handle quiet"
    aria-label={`Move ${item}, place ${at + 1} of ${count}: arrow up, arrow down`}
    title="Drag, or use the arrow keys"
    onKeyDown={(event) => onKey(event, at)}
  />
);

interface RowButtonsProps {
  /** Name of the list. */
  readonly list: string;
  readonly item: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onMove: (by: number) => void;
  readonly onRemove: () => void;
}

const RowButtons = ({ list, item, isFirst, isLast, onMove, onRemove }: RowButtonsProps) => (
  <span>
    <Button
      text="↑"
      class="quiet"
      disabled={isFirst}
      aria-label={`Move ${item} up`}
      onClick={() => onMove(-1)}
    />
    <Button
      text="↓"
      class="quiet"
      disabled={isLast}
      aria-label={`Move ${item} down`}
      onClick={() => onMove(1)}
    />
    <RemoveButton label={`Remove ${item} from ${list}`} onClick={onRemove} />
  </span>
);
