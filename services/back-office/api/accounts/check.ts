import { defaultAccount } from '#shared/domain/statements/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { createTokenBuckets } from '#shared/platform/http/token-buckets.ts';
import type { OperatorIdentity } from '../authentication.ts';
import type { AdminDependencies } from '../dependencies.ts';

const timeoutMs = 5_000;

/** Per token: each check calls a provider, which may lock out frequent callers. */
const limit = { per_second: 0.2, burst: 10 };
/** Per process: the API and the console share it. */
const buckets = createTokenBuckets();

/** `unsupported`: its provider has no check. `unknown`: the provider gave no clear response. */
export type CheckResult = { result: 'ok' | 'refused' | 'unknown' | 'unsupported'; cause?: string };

/**
 * Checks with the provider whether it accepts an account's current credentials.
 * @throws Problem rate_limited
 */
export async function checkAccount(
  { accounts }: Pick<AdminDependencies, 'accounts'>,
  of: { provider: string; account: string },
  { tokenId }: Pick<OperatorIdentity, 'tokenId'>,
): Promise<CheckResult> {
  const { allowed, nextInMs } = buckets.take(tokenId, limit);
  if (!allowed) throw new Problem('rate_limited', { retryAfterMs: nextInMs });
  const used = await accounts.use(of, async (connector): Promise<CheckResult> => {
    if (!connector.check) return { result: 'unsupported' };
    const checked = await connector.check({ timeoutMs });
    return checked.outcome === 'unknown'
      ? { result: 'unknown', cause: checked.cause }
      : { result: checked.outcome };
  });
  return used.outcome === 'used' ? used.result : { result: 'unknown', cause: used.outcome };
}

/** Whether the environment variables set up an account with the provider. */
export async function hasEnvironments(
  { accounts }: Pick<AdminDependencies, 'accounts'>,
  provider: string,
): Promise<boolean> {
  const used = await accounts.use({ provider, account: defaultAccount }, async () => true);
  return used.outcome === 'used';
}
