/** Copies a text to the clipboard, and says so for a moment. */
import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';

const SAID_MS = 2000;

/** Servers without TLS have no clipboard API, except on localhost. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

interface CopyButtonProps {
  readonly text: string;
  /** Continues the name of the button for screen readers. */
  readonly about?: string;
}

export function CopyButton({ text, about }: CopyButtonProps) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return undefined;
    const timer = setTimeout(() => setSaid(''), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const press = () =>
    void copy(text).then((isCopied) =>
      setSaid(isCopied ? 'Copied' : 'The browser refuses: select the text and copy it'),
    );
  return (
    <>
      <Button text="Copy" {...(about !== undefined && { about })} class="ghost" onClick={press} />
      <span class="about" role="status">
        {said}
      </span>
    </>
  );
}

interface CopyTextProps {
  readonly label: string;
  readonly text: string;
}

/** A text with a button that copies it. */
export const CopyText = ({ label, text }: CopyTextProps) => (
  <div class="copy-text row">
    <textarea
      aria-label={label}
      readOnly
      rows={2}
      value={text}
      onFocus={({ currentTarget }) => currentTarget.select()}
    />
    <CopyButton text={text} about={`: ${label}`} />
  </div>
);
