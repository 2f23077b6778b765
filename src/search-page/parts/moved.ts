/** The list with one item at another place. */
export function withMoved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const moved = items.slice();
  moved.splice(to, 0, ...moved.splice(from, 1));
  return moved;
}
