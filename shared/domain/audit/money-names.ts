import { accounts, type LedgerAccount } from '../ledger/events.ts';

/** The accounts of ledgers, in the order in which an audit shows them. */
export const moneyAccounts = accounts;

export const moneyNames: Readonly<
  Record<'in' | 'out' | LedgerAccount, Readonly<Record<'ru' | 'en', string>>>
> = {
  in: { ru: 'Получено провайдерами', en: 'Received by providers' },
  out: { ru: 'Выплачено провайдерами', en: 'Paid out by providers' },
  balance: { ru: 'Балансы магазинов', en: 'Shops’ balances' },
  reserved: { ru: 'Зарезервировано', en: 'Reserved' },
  commission: { ru: 'Комиссия', en: 'Commission' },
  provider: { ru: 'Провайдеры', en: 'Providers' },
  suspense: { ru: 'Невыясненные', en: 'Suspense' },
  external: { ru: 'Вне шлюза', en: 'Outside the gateway' },
};
