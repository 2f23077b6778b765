/**
 * A modal dialog: the native element keeps the focus inside, closes on Escape and gives the focus
 * back to the element that had it, or to the view if this element is gone.
 */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const { current: dialog } = element;
    dialog?.showModal();
    return () => {
      dialog?.close();
      const { activeElement: focused } = document;
      if (focused === document.body || dialog?.contains(focused) === true)
        document.querySelector('main')?.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={id}
      // The event arrives after the dialog was removed if that closed it.
      onClose={({ currentTarget }) => currentTarget.isConnected && onClose()}
    >
      <header>
        {/* Else the close button would have the focus first. */}
        <h2 id={id} tabIndex={-1} autofocus>
          {title}
        </h2>
        <Button
          text="✕"
          class="quiet"
          aria-label="Close"
          onClick={() => element.current?.close()}
        />
      </header>
      {children}
    </dialog>
  );
}
