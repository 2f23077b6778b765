/** Buttons that send no form, and the handler of forms that run an action. */
import type { ComponentProps } from 'preact';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'children'> {
  readonly text: string;
  /** Continues the text for screen readers. */
  readonly about?: string;
}

export const Button = ({ text, about, ...shared }: ButtonProps) => (
  <button type="button" {...shared}>
    {text}
    {about !== undefined && <span class="hidden">{about}</span>}
  </button>
);

interface RemoveButtonProps {
  /** For screen readers. */
  readonly label: string;
  readonly onClick: () => void;
}

/** Removes an entry of a list. */
export const RemoveButton = ({ label, onClick }: RemoveButtonProps) => (
  <Button text="✕" class="quiet" aria-label={label} onClick={removing(onClick)} />
);

/** Removes the list item of the clicked button; the focus goes to the last button of its neighbour. */
export const removing =
  (remove: () => void) =>
  ({ currentTarget }: { readonly currentTarget: Element }): void => {
    const item = currentTarget.closest('li');
    const next = item?.nextElementSibling ?? item?.previousElementSibling;
    remove();
    requestAnimationFrame(() => [...(next?.querySelectorAll('button') ?? [])].at(-1)?.focus());
  };

/** Runs the action of a submitted form; the page stays. */
export const submitting =
  (action: () => void) =>
  (event: Event): void => {
    event.preventDefault();
    action();
  };
