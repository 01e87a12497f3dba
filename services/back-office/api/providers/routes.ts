import { z } from 'zod';
import type { SwitchedOff } from '#shared/domain/provider/switch.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp, type AdminContext } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { readQuery } from '../query.ts';
import { readBreakers, viewBreakers } from './breakers.ts';
import { findHealth, viewHealth, type ProviderHealth } from './health.ts';
import { commandSwitch } from '#shared/application/providers/switch-provider.ts';
import { switchBody } from './switch.ts';

const hoursAtMost = 720;
const providersQuery = z.strictObject({
  hours: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a number from 1 to 720')
    .transform(Number)
    .refine((hours) => hours >= 1 && hours <= hoursAtMost, 'must be a number from 1 to 720')
    .default(24),
});

export function registerProviders(app: AdminApp, dependencies: AdminDependencies): void {
  const { store, directory, providers, db } = dependencies;

  app.get('/admin/v1/providers', async (c) => {
    const { hours } = readQuery(c, providersQuery);
    const since = new Date(Date.now() - hours * 3_600_000);
    const [{ off }, health, breakers] = await Promise.all([
      fromStore(directory.providers('now')),
      findHealth(db, since),
      readBreakers(store, providers),
    ]);
    return c.json({
      since: since.toISOString(),
      figures: health ? 'read' : 'unavailable',
      providers: providers.map((name) => ({
        provider: name,
        ...viewSwitch(off.get(name)),
        breakers: viewBreakers(breakers.get(name)),
        ...viewHealthFields(health?.get(name)),
      })),
    });
  });

  const switchTo = (to: 'on' | 'off') => async (c: AdminContext) => {
    const provider = knownProvider(providers, c.req.param('provider'));
    const { reason } = validate(switchBody, await readJson(c));
    const origin = operatorOrigin(c);
    const state = await commandSwitch(dependencies, { provider, to, reason, origin });
    return c.json({ provider, ...viewSwitch(state) });
  };
  app.post('/admin/v1/providers/:provider/switch-off', switchTo('off'));
  app.post('/admin/v1/providers/:provider/switch-on', switchTo('on'));
}

/** @throws Problem not_found for an unknown provider */
export function knownProvider(providers: readonly string[], name: string | undefined): string {
  if (name === undefined || !providers.includes(name)) throw new Problem('not_found');
  return name;
}

function viewHealthFields(health: ProviderHealth | undefined) {
  const { all, routes = [], banks = [], reasons = [], lastReportAt } = health ?? {};
  return {
    last_report_at: lastReportAt?.toISOString() ?? null,
    health: all ? viewHealth(all) : null,
    by_route: routes.map((each) => {
      const { type, method, priority, account, currency, commission } = each;
      return { type, method, priority, account, ...viewHealth(each), currency, commission };
    }),
    by_bank: banks.map((each) => {
      const { bank, currency, commission } = each;
      return { bank, ...viewHealth(each), currency, commission };
    }),
    reasons: reasons.map(({ outcome, reason, count }) => ({ outcome, reason, count })),
  };
}

function viewSwitch(state: SwitchedOff | undefined) {
  if (!state) return { routing: 'on', switched_off: null };
  const { reason, by, since } = state;
  return { routing: 'off', switched_off: { reason, by: by.replace(/^operator:/, ''), since } };
}
