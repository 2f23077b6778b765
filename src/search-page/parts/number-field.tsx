/** An integer with its label; the text may be empty while the user types. */
import type { ComponentChildren } from 'preact';

interface NumberFieldProps {
  readonly label: string;
  readonly value: number | null;
  readonly min: number;
  readonly max?: number;
  /** Placeholder, for fields where empty means null. */
  readonly empty?: string;
  readonly onChange: (value: number | null) => void;
  readonly children?: ComponentChildren;
}

export const NumberField = ({
  label,
  value,
  min,
  max,
  empty,
  onChange,
  children,
}: NumberFieldProps) => (
  <label class="number">
    <span>{label}</span>
    <input
      type="number"
      min={min}
      max={max}
      step={1}
      placeholder={empty}
      value={value ?? ''}
      onInput={({ currentTarget: { value: text, valueAsNumber } }) => {
        if (text === '' ? empty !== undefined : Number.isInteger(valueAsNumber))
          onChange(text === '' ? null : valueAsNumber);
      }}
    />
    {children}
  </label>
);
