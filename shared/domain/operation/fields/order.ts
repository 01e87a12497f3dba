/** Those that are named first, in that order, and after them the others as they are. */
export function inOrder<Item>(
  first: readonly string[],
  items: readonly Item[],
  toName: (item: Item) => string,
): Item[] {
  const byName = new Map(items.map((item) => [toName(item), item]));
  const ordered = first.flatMap((name) => byName.get(name) ?? []);
  return [...ordered, ...items.filter((item) => !first.includes(toName(item)))];
}
