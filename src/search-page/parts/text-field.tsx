/** A text with its label, on one line or on several. */

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Required; letters, digits, - and _ alone. */
  readonly isName?: boolean;
  readonly isRequired?: boolean;
  /** Of the field. */
  readonly class?: string;
  readonly placeholder?: string;
  readonly about?: string;
  /** Absent = one line. */
  readonly rows?: number | undefined;
}

export function TextField(props: TextFieldProps) {
  const { label, onChange, isName = false, isRequired = isName, about, rows, ...shared } = props;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: both branches are controls.
    <label class="text" title={about}>
      <span>{label}</span>
      {rows === undefined ? (
        <input
          {...shared}
          required={isRequired}
          pattern={isName ? '[\\w\\-]+' : undefined}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      ) : (
        <textarea
          {...shared}
          rows={rows}
          spellcheck={false}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </label>
  );
}
