/** A table with titles of its columns; the rows are its children. */
import type { ComponentChildren } from 'preact';

interface TableProps {
  /** For screen readers; absent = the caption is enough. */
  readonly label?: string;
  readonly caption?: ComponentChildren;
  readonly titles: readonly string[];
  /** `cards`: on a phone each row is a card, whose cells have the attribute `data-title`. */
  readonly class?: 'cards';
  readonly children: ComponentChildren;
}

export const Table = ({ label, caption, titles, children, ...shared }: TableProps) => (
  <table aria-label={label} {...shared}>
    {caption !== undefined && <caption>{caption}</caption>}
    <thead>
      <tr>
        {titles.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);
