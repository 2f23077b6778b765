/** A choice among options: with a label, or with a name for screen readers alone. */

interface SelectProps<Value extends string> {
  readonly label?: string;
  readonly name?: string;
  /** Of the label. */
  readonly class?: string;
  readonly value: Value;
  readonly options: readonly (Value | readonly [value: Value, text: string])[];
  readonly onChange: (value: Value) => void;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, name, value, options, onChange } = props;
  const select = (
    <select
      aria-label={name}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value as Value)}
    >
      {options.map((option) => {
        const [own, text] = typeof option === 'string' ? [option, option] : option;
        return (
          <option key={own} value={own}>
            {text}
          </option>
        );
      })}
    </select>
  );
  if (label === undefined) return select;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the select above.
    <label class={props.class}>
      <span>{label}</span> {select}
    </label>
  );
}
