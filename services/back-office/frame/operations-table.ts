import { html, type Html } from '#shared/platform/pages/index.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { at, shortId, table, type View } from './components.ts';
import { amountsOf, operationBadge, typeNames, type Amounts, type BadgeRow } from './names.ts';

type Row = Amounts &
  BadgeRow & {
    operation_id: string;
    method: string;
    merchant_operation_id: string;
    created_at: Date;
  };

type Column<Listed> = { name: Words; cell(listed: Listed): Html | string };

type Listing<Listed> = {
  rows: readonly Listed[];
  empty: string;
  bank?(listed: Listed): Html | string;
  afterMethod?: readonly Column<Listed>[];
  afterId?: readonly Column<Listed>[];
  last?: readonly Column<Listed>[];
};

/** A list of operations, each with a link to its page, and the columns of one service's own. */
export function operationsTable<Listed extends { row: Row }>(
  view: View,
  { rows, empty, bank = () => '', afterMethod = [], afterId = [], last = [] }: Listing<Listed>,
): Html {
  const { t } = view;
  const columns: readonly (Column<Listed> & { amount?: true })[] = [
    {
      name: common.operationId,
      cell: ({ row: { operation_id: id } }) => shortId(id, `/operations/${id}`),
    },
    { name: common.amount, amount: true, cell: ({ row }) => amountsOf(view, row) },
    { name: common.status, cell: ({ row }) => operationBadge(view, row) },
    { name: common.type, cell: ({ row }) => t(typeNames[row.type]) },
    {
      name: common.method,
      cell: (listed) => html`<code class="plain">${listed.row.method}</code>${bank(listed)}`,
    },
    ...afterMethod,
    { name: common.merchantOperationId, cell: ({ row }) => clipped(row.merchant_operation_id) },
    ...afterId,
    { name: common.created, cell: ({ row }) => at(view, row.created_at) },
    ...last,
  ];
  return table(view, {
    caption: t(common.operations),
    keys: rows.map(({ row }) => row.operation_id),
    columns: columns.map(({ name, amount }) => (amount ? { amount: name } : name)),
    rows: rows.map((listed) => columns.map(({ cell }) => cell(listed))),
    empty,
  });
}

export const clipped = (text: string): Html =>
  html`<span class="clip" title="${text}">${text}</span>`;
