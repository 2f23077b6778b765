/** A text with a button that copies it. */
import { CopyButton } from './copy-button.tsx';

interface CopyTextProps {
  readonly label: string;
  readonly text: string;
}

export const CopyText = ({ label, text }: CopyTextProps) => (
  <div class="copy-text">
    <textarea
      aria-label={label}
      readOnly
      rows={2}
      value={text}
      onFocus={({ currentTarget }) => currentTarget.select()}
    />
    <CopyButton text={text} />
  </div>
);
