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
  // One operation, which is of one type, decides once for each provider, however often its decision is made.
  const found = new Map<string, boolean>();
  const failing = (route: Pick<Route, 'provider' | 'type'>) => {
    const { provider } = route;
    const known = found.get(provider) ?? breakers?.failing(route) ?? false;
    found.set(provider, known);
    return known;
  };
  return whySkip({ off, accounts, failing });
}
