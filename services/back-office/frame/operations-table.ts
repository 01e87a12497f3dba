import { html, type Html } from '#shared/platform/pages/index.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { at, shortId, renderTable, type View } from './components.ts';
import {
  renderAmounts,
  operationBadge,
  typeNames,
  type AmountColumns,
  type BadgeRow,
} from './names.ts';

type Row = AmountColumns &
  BadgeRow & {
    operation_id: string;
    method: string;
    merchant_operation_id: string;
    created_at: Date;
  };

type Column<Listed> = {
  name: Words;
  cell(listed: Listed): Html | string;
  /** Where a phone's card has it; a column without a place is not on the card. */
  area?: 'id' | 'when' | 'amount' | 'status' | 'type' | 'order';
};

type OperationsTableInput<Listed> = {
  rows: readonly Listed[];
  empty: string;
  bank?(listed: Listed): Html | string;
  afterMethod?: readonly Column<Listed>[];
  afterId?: readonly Column<Listed>[];
  last?: readonly Column<Listed>[];
};

/** A list of operations, each with a link to its page, and the columns of one service's own. */
export function renderOperationsTable<Listed extends { row: Row }>(
  view: View,
  {
    rows,
    empty,
    bank = () => '',
    afterMethod = [],
    afterId = [],
    last = [],
  }: OperationsTableInput<Listed>,
): Html {
  const { t } = view;
  const columns: readonly (Column<Listed> & { amount?: true })[] = [
    {
      name: common.operationId,
      area: 'id',
      cell: ({ row: { operation_id: id } }) => shortId(id, `/operations/${id}`),
    },
    { name: common.created, area: 'when', cell: ({ row }) => at(view, row.created_at) },
    {
      name: common.amount,
      amount: true,
      area: 'amount',
      cell: ({ row }) => renderAmounts(view, row),
    },
    { name: common.status, area: 'status', cell: ({ row }) => operationBadge(view, row) },
    { name: common.type, area: 'type', cell: ({ row }) => t(typeNames[row.type]) },
    {
      name: common.merchantOperationId,
      area: 'order',
      cell: ({ row }) => clipped(row.merchant_operation_id),
    },
    ...afterId,
    {
      name: common.method,
      cell: (listed) => html`<code class="plain">${listed.row.method}</code>${bank(listed)}`,
    },
    ...afterMethod,
    ...last,
  ];
  return renderTable(view, {
    caption: t(common.operations),
    keys: rows.map(({ row }) => row.operation_id),
    areCards: true,
    columns: columns.map(({ name, amount, area }) =>
      amount ? { amount: name, area } : { name, area },
    ),
    rows: rows.map((listed) => columns.map(({ cell }) => cell(listed))),
    empty,
  });
}

export const clipped = (text: string): Html =>
  html`<span class="clip" title="${text}">${text}</span>`;
