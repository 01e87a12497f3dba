import { fetchStatement, type FetchedStatement } from '#shared/application/statements/fetch.ts';
import { importStatement } from '#shared/application/statements/import.ts';
import type { Origin } from '#shared/application/commands/origin.ts';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import type { Dependencies } from '../../dependencies.ts';
import { oneAsked, requireAccount, requireDay, settled, type Imported } from './import.ts';

/** Of each page, and of all of them: a person waits. */
const pageTimeoutMs = 10_000;
const timeoutMs = 25_000;

/**
 * `not_yet`: the provider has no whole statement of the day. `unknown`: whatever is no clear answer
 * of the provider. `unsupported`: it has none to be asked for. Nothing is written then.
 */
export type AskedStatement = Imported | { outcome: 'not_yet' | 'unknown' | 'unsupported'; cause?: string };

/**
 * Asks the provider for the statement of a day, and imports it: also where one is there, which a
 * changed one replaces.
 * @throws Problem not_found, invalid_request (`day_not_over`), not_ready
 */
export async function askProvider(
  dependencies: Pick<Dependencies, 'store' | 'accounts' | 'directory'>,
  of: StatementOf,
  origin: Origin,
): Promise<AskedStatement> {
  const { store, accounts } = dependencies;
  await requireAccount(dependencies, of);
  requireDay(of);
  return oneAsked(async () => {
    const bounds = { timeoutMs: pageTimeoutMs, signal: AbortSignal.timeout(timeoutMs) };
    const used = await accounts.use(of, async ({ statement }): Promise<FetchedStatement | undefined> =>
      statement ? fetchStatement({ statement }, of, bounds) : undefined,
    );
    if (used.outcome === 'absent') throw new Problem('not_found');
    if (used.outcome !== 'used') return { outcome: 'unknown', cause: used.outcome };
    const { result: fetched } = used;
    if (!fetched) return { outcome: 'unsupported' };
    if (fetched.outcome === 'unavailable') return { outcome: 'unknown', cause: fetched.cause };
    if (fetched.outcome === 'not_yet') return fetched;
    return settled(await importStatement({ store, origin }, fetched.statement));
  });
}
