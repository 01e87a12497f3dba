import { whySkip, type WhySkip } from '#shared/domain/routing.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * Which routes may not be tried now. Nothing is read for it where the request's shop was found a
 * moment ago: both are known from the directory. @throws when the store can't be read
 */
export async function whySkipNow({ directory }: Pick<Dependencies, 'directory'>): Promise<WhySkip> {
  return whySkip(await directory.switches());
}
