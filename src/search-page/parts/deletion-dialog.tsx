/** Asks before something is deleted; what cannot be made again needs its name typed. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { submitting } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './text-field.tsx';

interface DeletionDialogProps {
  readonly title: string;
  /** Text of the button that deletes. */
  readonly action: string;
  /** Name of the index that the user has to type; absent = a click suffices. */
  readonly typedIndex?: string;
  readonly isDisabled?: boolean;
  readonly onDelete: () => void;
  readonly onClose: () => void;
  /** What is deleted. */
  readonly children: ComponentChildren;
}

export function DeletionDialog(props: DeletionDialogProps) {
  const { title, action, typedIndex, isDisabled = false, onDelete, onClose, children } = props;
  const [name, setName] = useState('');
  const isTyped = typedIndex === undefined || name === typedIndex;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submitting(onDelete)}>
        {children}
        {typedIndex !== undefined && (
          <TextField
            label="Type the name of the index to confirm"
            value={name}
            isName
            onChange={setName}
          />
        )}
        <footer class="buttons">
          <button type="submit" class="danger" disabled={isDisabled || !isTyped}>
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface Asked<Item> {
  /** Opens the dialog; null closes it. */
  readonly ask: (item: Item | null) => void;
  /** The dialog; null while nothing is asked. */
  readonly dialog: preact.JSX.Element | null;
}

type Question = Pick<DeletionDialogProps, 'title' | 'action' | 'typedIndex' | 'children'>;

/**
 * A dialog for the items of a list, which closes when its button is clicked. The focus goes to the
 * view, because the button that opened the dialog disappears with its item.
 */
export function useDeletion<Item>(
  questionOf: (item: Item) => Question,
  remove: (item: Item) => void,
): Asked<Item> {
  const [item, ask] = useState<Item | null>(null);
  if (item === null) return { ask, dialog: null };
  const confirmed = () => {
    ask(null);
    remove(item);
    requestAnimationFrame(() => document.querySelector('main')?.focus());
  };
  const dialog = (
    <DeletionDialog {...questionOf(item)} onDelete={confirmed} onClose={() => ask(null)} />
  );
  return { ask, dialog };
}
