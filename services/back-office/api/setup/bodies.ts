import { z } from 'zod';
import { decimalErrors } from '#shared/application/create-body/decimals.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { isMethod, methods } from '#shared/domain/methods/index.ts';
import { amountPattern, compare } from '#shared/domain/money.ts';
import { accountKey, type ProviderAccounts } from '#shared/domain/provider/accounts.ts';
import { routeSchema } from '#shared/domain/routing.ts';
import { defaultAccount } from '#shared/domain/statements/events.ts';
import type { FieldError } from '#shared/platform/http/problems.ts';
import type { ValidationOptions } from '#shared/platform/http/validate.ts';
import { isStorableJson, notStorable } from '#shared/platform/storable.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { nameText } from '#shared/platform/http/texts.ts';
import { settingBodies } from './setting-bodies.ts';

/** The bodies of set-up commands; unknown fields are refused. */

export const merchantBody = z.strictObject({ name: nameText });

export const shopBody = z.strictObject({
  merchant_id: z.string().min(1, 'must not be empty'),
  ...settingBodies,
  name: nameText,
});

export const shopPatchBody = z.strictObject(settingBodies);

const maxRoutes = 200;

export const routesBody = z.strictObject({
  // The schema itself is of events too, which must stay readable whatever they hold.
  routes: z.array(routeSchema.refine(isStorableJson, notStorable)).max(maxRoutes),
  /** The version of the routes that these replace, as `hashRoutes` makes it. */
  replaces: z.string().optional(),
});

/** What routes may name: connectors, and accounts with them. */
export type RouteTargets = { providers: readonly string[]; accounts: ProviderAccounts };

/** The connectors and accounts there are now. @throws Problem not_ready */
export async function readTargets({
  providers,
  directory,
}: Pick<AdminDependencies, 'providers' | 'directory'>): Promise<RouteTargets> {
  return { providers, accounts: (await fromStore(directory.providers('now'))).accounts };
}

/** The rules for routes. */
export function routesRules(targets: RouteTargets): ValidationOptions {
  return {
    codes: {
      method: 'method_unknown',
      currency: 'currency_unknown',
      settlement_currency: 'currency_unknown',
      min_amount: 'amount_invalid',
      max_amount: 'amount_invalid',
      fixed: 'amount_invalid',
    },
    across: ({ routes }) =>
      Array.isArray(routes)
        ? routes
            .slice(0, maxRoutes)
            .flatMap((route, index) => acrossRoute(route, `/routes/${index}`, targets))
        : [],
  };
}

function acrossRoute(
  route: unknown,
  pointer: string,
  { providers, accounts }: RouteTargets,
): FieldError[] {
  if (typeof route !== 'object' || route === null) return [];
  const {
    method,
    currency,
    provider,
    account,
    min_amount: min,
    max_amount: max,
    daily_amount: daily,
    commission,
    conversion,
  } = route as Record<string, unknown>;
  const fixed = isObject(commission) ? commission['fixed'] : undefined;
  const ledger = isObject(conversion) ? conversion['settlement_currency'] : currency;
  const errors: FieldError[] = [
    ...decimalErrors(currency, {
      [`${pointer}/min_amount`]: min,
      [`${pointer}/max_amount`]: max,
      [`${pointer}/daily_amount`]: daily,
    }),
    ...decimalErrors(ledger, { [`${pointer}/commission/fixed`]: fixed }),
  ];
  if (
    typeof method === 'string' &&
    isMethod(method) &&
    currencies.some((each) => each === currency)
  ) {
    const expected = methods[method].currency;
    if (currency !== expected) {
      const detail = `${method} is in ${expected}`;
      errors.push({ pointer: `${pointer}/currency`, code: 'currency_method_mismatch', detail });
    }
  }
  if (typeof provider === 'string' && provider !== '' && !providers.includes(provider)) {
    const detail = `there is no such provider; known: ${providers.join(', ')}`;
    errors.push({ pointer: `${pointer}/provider`, code: 'field_invalid', detail });
  }
  if (typeof provider === 'string' && typeof account === 'string' && account !== defaultAccount) {
    const configured = accounts.get(accountKey(provider, account));
    const detail = configured?.removed
      ? 'the account was removed'
      : `${provider} has no such account`;
    if (!configured || configured.removed)
      errors.push({ pointer: `${pointer}/account`, code: 'field_invalid', detail });
  }
  if (isAmount(min) && isAmount(max) && compare(min, max) > 0) {
    const detail = 'must not be less than min_amount';
    errors.push({ pointer: `${pointer}/max_amount`, code: 'amount_invalid', detail });
  }
  return errors;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function isAmount(value: unknown): value is string {
  return typeof value === 'string' && amountPattern.test(value);
}
