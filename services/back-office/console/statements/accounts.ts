import { common } from '#shared/application/pages/translations.ts';
import { accountKey } from '#shared/domain/provider/accounts.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { defaultAccount, type StatementOf } from '#shared/domain/statements/events.ts';
import type { Choice } from '../../frame/components.ts';
import { hasEnvironments } from '../../api/accounts/check.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import type { Console, ConsoleView } from '../env.ts';
import { providerStatementTexts } from './texts.ts';

/** The accounts that a statement may belong to, removed ones included, as `provider/account`. */
export async function accountChoices(console: Console, { t }: ConsoleView): Promise<Choice[]> {
  const { accounts } = await fromStore(console.directory.providers());
  const choices = await Promise.all(
    console.providers.map(async (provider): Promise<Choice[]> => {
      const value = accountKey(provider, defaultAccount);
      const isConfigured = await hasEnvironments(console, provider);
      const own = [...accounts.values()].filter((each) => each.provider === provider);
      return [
        {
          value,
          text: `${value}: ${t(isConfigured ? providerStatementTexts.environment : providerStatementTexts.notSetUp)}`,
        },
        ...own.map(({ account, label, removed }) => ({
          value: accountKey(provider, account),
          text: `${accountKey(provider, account)}: ${label}${removed ? ` (${t(common.removed)})` : ''}`,
        })),
      ];
    }),
  );
  return choices.flat();
}

/** The currencies that providers carry; all currencies if no provider is configured. */
export function currencyChoices({ connectors }: Console): Choice[] {
  const carried = new Set(
    [...connectors.values()].flatMap(({ carries }) => carries.map(({ currency }) => currency)),
  );
  const all: readonly string[] = carried.size > 0 ? [...carried].toSorted() : currencies;
  return all.map((value) => ({ value, text: value }));
}

/** An account as a choice has it. */
export function splitAccount(chosen = ''): Pick<StatementOf, 'provider' | 'account'> {
  const at = chosen.indexOf('/');
  return { provider: chosen.slice(0, at), account: chosen.slice(at + 1) };
}
