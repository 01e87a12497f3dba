import { accountNamePattern } from '#shared/domain/provider/events.ts';
import type { ProviderAccount } from '#shared/domain/provider/accounts.ts';
import { defaultAccount } from '#shared/domain/statements/events.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { validate } from '#shared/platform/http/validate.ts';
import { operatorOrigin, type AdminApp, type AdminContext } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';
import { fromStore } from '#shared/platform/event-store/from-store.ts';
import { addBody, findCredentialsForm, labelBody, reasonBody, replaceBody } from './bodies.ts';
import { checkAccount, hasEnvironments } from './check.ts';
import {
  addProviderAccount,
  readProviderAccount,
  removeProviderAccount,
  renameProviderAccount,
  replaceProviderCredentials,
  switchProviderAccount,
} from '#shared/application/providers/accounts/command-account.ts';
import { viewAccount } from './view.ts';

const accountsPath = '/admin/v1/providers/:provider/accounts';

/** Accounts with providers. Their credentials are never returned. */
export function registerAccountRoutes(app: AdminApp, dependencies: AdminDependencies): void {
  const view = (account: Parameters<typeof viewAccount>[1]) => viewAccount(dependencies, account);

  app.get(accountsPath, async (c) => {
    const { provider } = findCredentialsForm(c.req.param('provider'));
    const { accounts } = await fromStore(dependencies.directory.providers('now'));
    const own = [...accounts.values()].filter((each) => each.provider === provider);
    return c.json({
      provider,
      environment: await hasEnvironments(dependencies, provider),
      accounts: own.map(view),
    });
  });

  app.post(accountsPath, async (c) => {
    const { provider, form } = findCredentialsForm(c.req.param('provider'));
    const body = validate(addBody(form), await readJson(c));
    const input = { provider, ...body };
    return c.json(view(await addProviderAccount(dependencies, input, operatorOrigin(c))), 201);
  });

  app.post(`${accountsPath}/:account/credentials`, async (c) => {
    const named = namedIn(c);
    const { form } = findCredentialsForm(named.provider);
    const { credentials, revoke_previous: revokePrevious } = validate(
      replaceBody(form),
      await readJson(c),
    );
    const input = { ...named, form, credentials, revokePrevious };
    return c.json(view(await replaceProviderCredentials(dependencies, input, operatorOrigin(c))));
  });

  registerChanges(app, dependencies);

  app.get(`${accountsPath}/:account/check`, async (c) => {
    const named = namedIn(c);
    if (named.account !== defaultAccount) await readProviderAccount(dependencies, named);
    return c.json({ ...named, ...(await checkAccount(dependencies, named, c.get('operator'))) });
  });
}

/** Commands that don't touch an account's credentials. */
function registerChanges(app: AdminApp, dependencies: AdminDependencies): void {
  const show = async (c: AdminContext, account: Promise<ProviderAccount>) =>
    c.json(viewAccount(dependencies, await account));

  app.patch(`${accountsPath}/:account`, async (c) => {
    const named = namedIn(c);
    const { label } = validate(labelBody, await readJson(c));
    return show(
      c,
      renameProviderAccount(dependencies, { ...named, label, origin: operatorOrigin(c) }),
    );
  });

  const switchTo = (to: 'on' | 'off') => async (c: AdminContext) => {
    const named = namedIn(c);
    const { reason } = validate(reasonBody, await readJson(c));
    return show(
      c,
      switchProviderAccount(dependencies, { ...named, to, reason, origin: operatorOrigin(c) }),
    );
  };
  app.post(`${accountsPath}/:account/switch-off`, switchTo('off'));
  app.post(`${accountsPath}/:account/switch-on`, switchTo('on'));

  app.post(`${accountsPath}/:account/remove`, async (c) => {
    const named = namedIn(c);
    const { reason } = validate(reasonBody, await readJson(c));
    return show(
      c,
      removeProviderAccount(dependencies, { ...named, reason, origin: operatorOrigin(c) }),
    );
  });
}

/** @throws Problem not_found for a name that no account can have */
function namedIn(c: AdminContext): { provider: string; account: string } {
  const { provider } = findCredentialsForm(c.req.param('provider'));
  const account = c.req.param('account');
  if (account === undefined || !accountNamePattern.test(account)) throw new Problem('not_found');
  return { provider, account };
}
