import type { Hono } from 'hono';
import { z } from 'zod';
import { accountName } from '#shared/domain/provider/events.ts';
import { wirePaths, type WireAccount } from '#shared/application/providers/sandbox/wire.ts';
import { sandboxCredentials } from '#shared/application/providers/sandbox/credentials.ts';
import { readJson } from '#shared/platform/http/body.ts';
import { validate } from '#shared/platform/http/validate.ts';
import type { SandboxEnv } from '../env.ts';
import type { SandboxMemory } from '../store/memory.ts';

const { api_key: apiKey, callback_secret: callbackSecret } = sandboxCredentials.schema.shape;
const accountBody = z.strictObject({
  /** Several while one is replaced. */
  api_keys: z.array(apiKey).min(1).max(5),
  callback_secret: callbackSecret,
});

/** The accounts by their keys, and the control API of accounts. */
export function registerSandboxAccounts(
  app: Hono<SandboxEnv>,
  {
    memory: { accounts },
    callbackUrl,
  }: { memory: Pick<SandboxMemory, 'accounts'>; callbackUrl: string },
): void {
  app.get(wirePaths.account, (c) =>
    c.json<WireAccount>({ account: c.get('account') ?? 'default' }),
  );

  app.put('/control/accounts/:account', async (c) => {
    const { account } = validate(z.strictObject({ account: accountName }), c.req.param());
    const { api_keys: apiKeys, callback_secret } = validate(accountBody, await readJson(c));
    const url = `${callbackUrl}/${account}`;
    accounts.put({ account, apiKeys, callbackSecret: callback_secret, callbackUrl: url });
    return c.json({ account, callback_url: url });
  });
}
