/** Removes an entry of a list. */
import { Button } from './button.tsx';

interface RemoveButtonProps {
  /** For screen readers. */
  readonly label: string;
  readonly onClick: () => void;
}

export const RemoveButton = ({ label, onClick }: RemoveButtonProps) => (
  <Button text="✕" class="quiet" aria-label={label} onClick={onClick} />
);
