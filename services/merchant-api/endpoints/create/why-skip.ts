import { accountKey, accountOf } from '#shared/domain/provider/accounts.ts';
import { whySkip, type Route, type WhySkip } from '#shared/domain/routing.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * Which routes may not be tried now. Nothing is read for it where the request's shop was found a
 * moment ago: switches are known from the directory, breakers from this process's own calls.
 * @throws when the store can't be read
 */
export async function whySkipNow({
  directory,
  breakers,
}: Pick<Dependencies, 'directory' | 'breakers'>): Promise<WhySkip> {
  const { off, accounts } = await directory.providers();
  // One operation, which is of one type, decides once for each account, however often its decision is made.
  const found = new Map<string, boolean>();
  const failing = (route: Pick<Route, 'provider' | 'account' | 'type'>) => {
    const key = accountKey(route.provider, accountOf(route));
    const known = found.get(key) ?? breakers?.failing(route) ?? false;
    found.set(key, known);
    return known;
  };
  return whySkip({ off, accounts, failing });
}
