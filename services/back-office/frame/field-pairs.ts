import type { FieldEntry, PageKind } from '#shared/domain/operation/fields/entry.ts';
import { inOrder } from '#shared/domain/operation/fields/order.ts';
import type { Snapshot } from '#shared/domain/operation/fields/snapshot.ts';
import { operationFields } from '#shared/domain/operation/fields/table.ts';
import { html } from '#shared/platform/pages/index.ts';
import { at, metadataList, wholeId, type Pair, type View } from './components.ts';
import { reasonNames } from './names.ts';

type Render = (view: View, value: never, label: string) => Pair[1];

const renderers: Readonly<Record<PageKind, Render>> = {
  text: (_, text: string) => text || undefined,
  code: (_, text: string) => (text ? html`<code>${text}</code>` : undefined),
  id: (view, id: string, label) => wholeId(view, id, label),
  time: (view, time: string) => at(view, time),
  check: ({ t }, reason: keyof typeof reasonNames) => t(reasonNames[reason]),
  texts: (_, texts: Record<string, string>) => metadataList(texts),
};

type PairOptions = {
  /** Names in the order of the page; fields that it does not name follow them. */
  order: readonly string[];
  /** What the page shows in place of the value of a field. */
  values?: Readonly<Record<string, string | undefined>>;
  /** Pairs that are no fields of the operation object, by a name of the order. */
  own: Readonly<Record<string, Pair>>;
};

/** The names and values that a page shows of an operation, by the table of fields. */
export function fieldPairs(
  view: View,
  page: 'portal' | 'console',
  operation: Snapshot,
  { order, values = {}, own }: PairOptions,
): Pair[] {
  const pairs = Object.entries<FieldEntry>(operationFields).flatMap(([name, entry]) => {
    if (!entry.page?.on.includes(page)) return [];
    const label = view.t(entry.page.label);
    const value = name in values ? values[name] : entry.value(operation);
    const cell =
      value === undefined ? undefined : renderers[entry.page.kind](view, value as never, label);
    return [{ name, pair: [label, cell] as const }];
  });
  const others = Object.entries(own).map(([name, pair]) => ({ name, pair }));
  return inOrder<{ name: string; pair: Pair }>(
    order,
    [...pairs, ...others],
    ({ name }) => name,
  ).map(({ pair }) => pair);
}
