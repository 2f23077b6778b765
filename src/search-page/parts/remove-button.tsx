/** Removes an entry of a list. */

interface RemoveButtonProps {
  /** For screen readers. */
  readonly label: string;
  readonly onClick: () => void;
}

export const RemoveButton = ({ label, onClick }: RemoveButtonProps) => (
  <button type="button" class="quiet" aria-label={label} onClick={onClick}>
    ✕
  </button>
);
