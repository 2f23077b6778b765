/** Removable entries of an unordered list; a long list shows its first entries. */
import { RemoveButton } from './button.tsx';

export interface ListProps {
  readonly label: string;
  readonly items: readonly string[];
  readonly onChange: (items: readonly string[]) => void;
  /** Warning about an item; null = none. */
  readonly noteOf?: (item: string) => string | null;
  /** Explanation of an item; null = none. */
  readonly aboutOf?: (item: string) => string | null;
}

export const Note = ({ text }: { readonly text: string | null }) =>
  text === null ? null : <span class="note">{text}</span>;

const SHOWN_MAX = 200;

export const Chips = ({ label, items, onChange, noteOf, aboutOf }: ListProps) => (
  <>
    <ul class="chips plain row" aria-label={label}>
      {items.slice(0, SHOWN_MAX).map((item) => {
        const note = noteOf?.(item) ?? null;
        return (
          <li key={item} class={note === null ? 'row' : 'row marked'}>
            {item}
            {aboutOf !== undefined && <span class="about">{aboutOf(item)}</span>}
            <Note text={note} />
            <RemoveButton
              label={`Remove ${item} from ${label}`}
              onClick={() => onChange(items.filter((other) => other !== item))}
            />
          </li>
        );
      })}
    </ul>
    {items.length > SHOWN_MAX && (
      <p class="about">
        The first {SHOWN_MAX} of {items.length}.
      </p>
    )}
  </>
);
