import type { Done } from './commands.ts';
import { step, type ShopModel } from './shop-model.ts';

/**
 * Every model that a group of commands may have led to, whatever order they took effect in; none
 * where no order explains all answers. The commands of a group are under way at the same time:
 * which of two that did not overlap came first is not held against them, because a create has its
 * effects one after the other.
 */
export function explain(models: readonly ShopModel[], group: readonly Done[]): ShopModel[] {
  if (group.length === 0) return [...models];
  const found = new Map<string, ShopModel>();
  for (const [index, done] of group.entries()) {
    const after = models.flatMap((model) => step(model, done) ?? []);
    if (after.length === 0) continue;
    for (const model of explain(distinct(after), group.toSpliced(index, 1)))
      found.set(textOf(model), model);
  }
  return [...found.values()];
}

const distinct = (models: readonly ShopModel[]): ShopModel[] => [
  ...new Map(models.map((model) => [textOf(model), model])).values(),
];

/** The same for models that are the same, in whatever order their operations came to be. */
export function textOf({ operations, balance, reserved }: ShopModel): string {
  const sorted = Object.entries(operations).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([sorted, String(balance), String(reserved)]);
}
