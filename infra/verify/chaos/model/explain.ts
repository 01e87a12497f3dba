import type { Done } from './commands.ts';
import { step, type World } from './world.ts';

/**
 * Every world that a group of commands may have led to, whatever order they took effect in; none
 * where no order explains all answers. The commands of a group are under way at the same time:
 * which of two that did not overlap came first is not held against them, because a create has its
 * effects one after the other.
 */
export function explain(worlds: readonly World[], group: readonly Done[]): World[] {
  if (group.length === 0) return [...worlds];
  const found = new Map<string, World>();
  for (const [index, done] of group.entries()) {
    const after = worlds.flatMap((world) => step(world, done) ?? []);
    if (after.length === 0) continue;
    for (const world of explain(distinct(after), group.toSpliced(index, 1))) found.set(textOf(world), world);
  }
  return [...found.values()];
}

const distinct = (worlds: readonly World[]): World[] => [
  ...new Map(worlds.map((world) => [textOf(world), world])).values(),
];

/** The same for worlds that are the same, in whatever order their operations came to be. */
export function textOf({ operations, balance, reserved }: World): string {
  const sorted = Object.entries(operations).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([sorted, String(balance), String(reserved)]);
}
