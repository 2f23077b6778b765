/** A switch and a check box, each with its label. */
import type { ComponentChildren } from 'preact';

interface ToggleProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export const Toggle = ({ label, isOn, onChange }: ToggleProps) => (
  <label class="toggle">
    <input
      type="checkbox"
      role="switch"
      checked={isOn}
      aria-checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    {label}
  </label>
);

interface CheckBoxProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** The label. */
  readonly children: ComponentChildren;
}

export const CheckBox = ({ isOn, onChange, children }: CheckBoxProps) => (
  <label>
    <input
      type="checkbox"
      checked={isOn}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />{' '}
    {children}
  </label>
);
