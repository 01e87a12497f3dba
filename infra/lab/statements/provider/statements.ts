import { createBankConnector } from '#examples/bank/connector/connector.ts';
import { createSandboxConnector } from '#shared/application/providers/sandbox/connector.ts';
import type { ProviderConnector } from '#shared/application/providers/connector.ts';
import { fetchStatement } from '#shared/application/statements/fetch.ts';
import type { GivenStatement } from '#shared/application/statements/import.ts';
import type { StatementOf } from '#shared/domain/statements/events.ts';
import { createLogger } from '#shared/platform/logging/logger.ts';
import type { Account } from '../accounts.ts';
import type { PlannedLine } from '../plan/planned.ts';
import { linesOf, statementFromFile, type FileBalances } from './file.ts';
import { keys } from './simulators.ts';

type Statements = {
  given(of: StatementOf, account: Account): Promise<GivenStatement>;
  close(): Promise<void>;
};

/** Statements as they come in: asked of a provider by its connector, or read from a file. */
export function createStatements(
  url: string,
  { lines, day }: { lines: ReadonlyMap<Account, readonly PlannedLine[]>; day: string },
): Statements {
  const logger = createLogger('statements', 'warn');
  const sandbox = (apiKey: string) =>
    createSandboxConnector({ url, apiKey, callbackSecrets: [keys.callbackSecret], logger });
  const [first, east] = [sandbox(keys.sandbox), sandbox(keys.east)];
  const of = {
    url: `${url}/bank`,
    account: keys.bankAccount,
    key: keys.bank,
    arrivalMs: 60_000,
    logger,
  };
  const bank = createBankConnector(of);
  const connectorOf = ({ provider, account }: Account): ProviderConnector => {
    if (provider === 'bank') return bank.connector;
    return account === 'east' ? east.connector : first.connector;
  };
  const balances = fileBalances(day);
  return {
    given: async (wanted, account) => {
      if (account.by === 'file') {
        const own = lines.get(account) ?? [];
        return statementFromFile(wanted, own, balances(wanted, own));
      }
      const { statement } = connectorOf(account);
      if (!statement) throw new Error(`${account.provider} has no statements`);
      const fetched = await fetchStatement({ statement }, wanted, { timeoutMs: 60_000 });
      if (fetched.outcome !== 'fetched') throw new Error(`${wanted.day}: ${fetched.cause}`);
      return fetched.statement;
    },
    close: async () => void (await Promise.all([first, east, bank].map((each) => each.close()))),
  };
}

/**
 * Those of files, which come day by day: each opens as the one before closed, but for that of the
 * day.
 */
function fileBalances(day: string) {
  let held = 0n;
  return (of: StatementOf, lines: readonly PlannedLine[]): FileBalances | undefined => {
    if (of.currency !== 'RUB') return undefined;
    const opening = of.day === day ? held + 100n : held;
    held = linesOf(of, lines).reduce(
      (sum, { direction, minor }) => sum + BigInt(direction === 'in' ? minor : -minor),
      opening,
    );
    return { opening, closing: held };
  };
}
