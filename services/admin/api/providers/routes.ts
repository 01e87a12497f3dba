import type { Context, Hono } from 'hono';
import type { SwitchedOff } from '#shared/domain/provider/switch.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { originOf, type AdminEnv } from '../../authentication.ts';
import type { Dependencies } from '../../dependencies.ts';
import { fromStore } from '../../store.ts';
import { commandSwitch, switchBody } from './switch.ts';

export function registerProviders(app: Hono<AdminEnv>, dependencies: Dependencies): void {
  const { directory, providers } = dependencies;

  app.get('/admin/v1/providers', async (c) => {
    const { off } = await fromStore(directory.switches('now'));
    return c.json({ providers: providers.map((name) => ({ provider: name, ...viewSwitch(off.get(name)) })) });
  });

  const switchTo = (to: 'on' | 'off') => async (c: Context<AdminEnv>) => {
    const provider = knownProvider(providers, c.req.param('provider'));
    const { reason } = validate(switchBody, await readJson(c));
    const origin = originOf(c);
    const state = await commandSwitch(dependencies, { provider, to, reason, origin });
    return c.json({ provider, ...viewSwitch(state) });
  };
  app.post('/admin/v1/providers/:provider/switch-off', switchTo('off'));
  app.post('/admin/v1/providers/:provider/switch-on', switchTo('on'));
}

/** @throws Problem not_found for one that there is not */
export function knownProvider(providers: readonly string[], name: string | undefined): string {
  if (name === undefined || !providers.includes(name)) throw new Problem('not_found');
  return name;
}

function viewSwitch(state: SwitchedOff | undefined) {
  if (!state) return { routing: 'on', switched_off: null };
  const { reason, by, since } = state;
  return { routing: 'off', switched_off: { reason, by: by.replace(/^operator:/, ''), since } };
}
