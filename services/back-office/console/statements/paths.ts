import { accountKey } from '#shared/domain/provider/accounts.ts';
import type { StatementOf } from '#shared/domain/statements/events.ts';

export const statementPath = ({ provider, account, currency, day }: StatementOf): string =>
  `/statements/${[provider, account, currency, day].map(encodeURIComponent).join('/')}`;

/** The path that fetches all missing days of an account. */
export const fetchAllPath = ({ provider, account, currency }: Omit<StatementOf, 'day'>): string =>
  `/statements/missing/${[provider, account, currency].map(encodeURIComponent).join('/')}/ask`;

const filledIn = ({ provider, account, currency, day }: StatementOf): string =>
  String(new URLSearchParams({ account: accountKey(provider, account), currency, day }));

/** The forms that bring a day's statement, filled in for it. */
export const importPath = (of: StatementOf): string => `/statements/import?${filledIn(of)}`;
export const fetchPath = (of: StatementOf): string => `/statements/ask?${filledIn(of)}`;
