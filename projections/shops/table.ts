import { settingColumns, type SettingCells } from '#shared/domain/shop/settings/columns.ts';
import { defineTable, type RowOf } from '../read-model.ts';

export type MerchantRow = RowOf<typeof merchantsTable>;

/** `revision`: the event that added it. */
export type EndpointRow = {
  url: string;
  enabled: boolean;
  types: readonly string[] | null;
  description: string | null;
  revision: number;
};

export type ShopRow = RowOf<typeof shopsTable>;

const newest = {
  updated_at: { type: 'timestamptz not null', comment: 'Time of the newest event in this row' },
  revision: { type: 'integer not null', comment: 'The newest event of its stream in this row' },
  position: { type: 'bigint not null', comment: 'Position of that event in the log' },
} as const;

export const merchantsTable = defineTable()({
  name: 'merchants',
  comment: 'Customers that receive and send money through the gateway.',
  primaryKey: ['merchant_id'],
  columns: {
    merchant_id: { type: 'text', comment: 'Stored in stream merchant-<merchant_id>' },
    name: { type: 'text not null', comment: 'As entered by an operator' },
    created_at: { type: 'timestamptz not null', comment: 'Time of its creation' },
    ...newest,
  },
  indexes: [],
});

export const shopsTable = defineTable<
  SettingCells & { webhook_endpoints: Readonly<Record<string, EndpointRow>> }
>()({
  name: 'shops',
  comment:
    "A merchant's shops: each has API keys, routes, limits and balances of its own. No keys or secrets.",
  primaryKey: ['shop_id'],
  columns: {
    shop_id: { type: 'text', comment: 'Stored in stream shop-<shop_id>' },
    merchant_id: { type: 'text not null', references: 'merchants', comment: 'The shop’s merchant' },
    ...settingColumns,
    webhook_url: { type: 'text', comment: 'URL of the first webhook endpoint, if there is one' },
    webhook_enabled: {
      type: 'boolean not null',
      comment: 'Webhooks are sent to it; false: disabled, or not configured',
    },
    webhook_endpoints: {
      type: 'jsonb not null',
      comment: 'By endpoint_id: url, enabled, types (null: all), description and revision',
    },
    created_at: { type: 'timestamptz not null', comment: 'Time of its creation' },
    ...newest,
  },
  indexes: [{ on: 'merchant_id' }],
});
