import { defaultAccount } from '#shared/domain/statements/events.ts';
import type { Dependencies } from '../../dependencies.ts';

const timeoutMs = 5_000;

/** `unsupported`: its provider can't be asked. Whatever is no clear answer of the provider is `unknown`. */
export type CheckResult = { result: 'ok' | 'refused' | 'unknown' | 'unsupported'; cause?: string };

/** Asks the provider whether it takes the credentials of an account as they are now. */
export async function checkAccount(
  { accounts }: Pick<Dependencies, 'accounts'>,
  of: { provider: string; account: string },
): Promise<CheckResult> {
  const used = await accounts.use(of, async (connector): Promise<CheckResult> => {
    if (!connector.check) return { result: 'unsupported' };
    const checked = await connector.check({ timeoutMs });
    return checked.outcome === 'unknown'
      ? { result: 'unknown', cause: checked.cause }
      : { result: checked.outcome };
  });
  return used.outcome === 'used' ? used.result : { result: 'unknown', cause: used.outcome };
}

/** Whether the environment has an account with the provider, beside those of operators. */
export async function hasEnvironments(
  { accounts }: Pick<Dependencies, 'accounts'>,
  provider: string,
): Promise<boolean> {
  const used = await accounts.use({ provider, account: defaultAccount }, async () => true);
  return used.outcome === 'used';
}
