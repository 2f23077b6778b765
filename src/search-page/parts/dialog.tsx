/**
 * A modal dialog: the native element keeps the focus inside, closes on Escape and gives the focus
 * back.
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
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} class="dialog" aria-labelledby={id} onClose={onClose}>
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
