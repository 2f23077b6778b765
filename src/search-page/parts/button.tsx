/** A button that sends no form. */
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
