/** An integer with its label; the text may be empty while the user types. */

type NumberFieldProps = {
  readonly label: string;
  readonly value: number | null;
  readonly min: number;
  readonly max?: number;
} & (
  | { readonly empty?: never; readonly onChange: (value: number) => void }
  | {
      /** Placeholder; an empty text is null. */
      readonly empty: string;
      readonly onChange: (value: number | null) => void;
    }
);

export function NumberField(props: NumberFieldProps) {
  const { label, value, min, max, empty, onChange } = props;
  const take = ({ value: text, valueAsNumber }: HTMLInputElement) => {
    if (Number.isInteger(valueAsNumber)) onChange(valueAsNumber);
    else if (text === '' && props.empty !== undefined) props.onChange(null);
  };
  return (
    <label class="number">
      <span>{label}</span>
      <input
        type="number"
        min={min}
        max={max}
        step={1}
        placeholder={empty}
        value={value ?? ''}
        onInput={({ currentTarget }) => take(currentTarget)}
      />
    </label>
  );
}
