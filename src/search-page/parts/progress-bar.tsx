/** Progress bar that screen readers announce. */

interface Progress {
  readonly label: string;
  /** 0 to 1; null = unknown. */
  readonly part: number | null;
}

export const ProgressBar = ({ label, part }: Progress) => (
  <p class="progress row">
    <span>{label}</span>
    {part === null ? (
      <progress aria-label={label} />
    ) : (
      <progress aria-label={label} value={part} max={1} />
    )}
  </p>
);
