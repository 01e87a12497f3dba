import { accountKey } from '#shared/domain/provider/accounts.ts';
import type { StatementOf } from '#shared/domain/statements/events.ts';

export const statementPath = ({ provider, account, currency, day }: StatementOf): string =>
  `/statements/${[provider, account, currency, day].map(encodeURIComponent).join('/')}`;

/** Fills in the forms that bring a day's statement. */
export const dayFields = ({ provider, account, currency, day }: StatementOf) => ({
  account: accountKey(provider, account),
  currency,
  day,
});
