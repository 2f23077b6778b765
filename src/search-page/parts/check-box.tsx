/** A check box with its label. */
import type { ComponentChildren } from 'preact';

interface CheckBoxProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** Explanation for a pointer that rests. */
  readonly about?: string;
  /** The label. */
  readonly children: ComponentChildren;
}

export const CheckBox = ({ isOn, onChange, about, children }: CheckBoxProps) => (
  <label class="check-box" title={about}>
    <input
      type="checkbox"
      checked={isOn}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    {children}
  </label>
);
