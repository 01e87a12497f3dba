import type { Random } from '#infra/verify/harness/random.ts';
import { accounts, isAtBank, type Account } from '../accounts.ts';
import { dayMs } from '../log/lives.ts';
import type { Moved } from '../log/moved.ts';
import { dayOf, type Plan, type PlannedLine, type Planted } from './planned.ts';
import { plantStrangers } from './strangers.ts';
import { say, type Planning } from './planning.ts';
import { plantsOf, type Plant } from './plants.ts';

/** So many of a hundred movements are told by a neighbour's statement. */
const midnightShare = 0.005;

/** What each provider says of what moved, and where it is to be found wrong. */
export function planStatements(
  moved: readonly Moved[],
  given: Pick<Planning, 'random' | 'share' | 'startMs' | 'nextTransfer'>,
): Plan {
  const lines = new Map(accounts.map((account): [Account, PlannedLine[]] => [account, []]));
  const planted: Planted[] = [];
  const planning: Planning = {
    ...given,
    lines,
    plant: ({ provider, account }, { atMs, currency = 'RUB', ...found }) =>
      void planted.push({ of: { provider, account, currency, day: dayOf(atMs) }, ...found }),
  };
  const acrossMidnight = tellAll(moved, planning);
  for (const account of accounts) plantStrangers(account, moved, planning);
  planBalances(planning);
  return { lines, planted, acrossMidnight, statements: statementsOf(planning) };
}

/** @returns how many are told by a neighbour's statement, as banks book around midnight */
function tellAll(moved: readonly Moved[], planning: Planning): number {
  const { random, share, startMs } = planning;
  const turns = new Map<Account, number>();
  let acrossMidnight = 0;
  for (const each of moved) {
    const { account, atMs } = each;
    const line = lineOf(each, random);
    const inDay = atMs >= startMs && atMs < startMs + dayMs;
    const dice = random.next();
    if (inDay && dice < share) {
      // Each kind in its turn, so that none is left out.
      const plants = plantsOf(account).filter(({ fits = () => true }) => fits(each, line));
      const turn = turns.get(account) ?? 0;
      turns.set(account, turn + 1);
      (plants[turn % plants.length] as Plant).tell({ moved: each, line, planning });
    } else if (inDay && dice < share + midnightShare) {
      acrossMidnight += 1;
      const near = random.below(3_600_000);
      say(planning, account, {
        ...line,
        atMs: random.chance(0.5) ? startMs - 1 - near : startMs + dayMs + near,
      });
    } else say(planning, account, line);
  }
  return acrossMidnight;
}

/** The line that tells of it as it was. */
function lineOf(
  { kind, direction, legId, ofLegId, minor, atMs, ...of }: Moved,
  random: Random,
): PlannedLine {
  const { operationId, attempt, account } = of;
  const isNamed = isAtBank(account)
    ? kind !== 'transfer' || direction === 'out'
    : account.by === 'provider' || random.chance(0.95);
  return {
    kind,
    direction,
    legId,
    ...(ofLegId !== undefined && { ofLegId }),
    ...(isNamed && { of: { operationId, attempt } }),
    minor,
    atMs,
    currency: 'RUB',
  };
}

/**
 * One statement closes wrong, and the next day's does not open with that; another opens wrong; a
 * third closes wrong.
 */
function planBalances({ startMs, plant }: Planning): void {
  const differs = (account: Account, days: number, how: string) =>
    plant(account, { finding: 'balance_differs', how, atMs: startMs + days * dayMs });
  const [sandbox, , bank, branch] = accounts;
  differs(sandbox, 0, 'closes wrong');
  differs(sandbox, 1, 'does not open as the day before closed');
  // What stands twice or belongs to no transfer is in the bank's closing balance, and not in its
  // next opening one.
  differs(bank, 1, 'does not open as the day before closed');
  differs(branch, 0, 'opens wrong');
}

function statementsOf({ startMs }: Planning): Plan['statements'] {
  return accounts.flatMap((account) => {
    const { provider, account: name } = account;
    const of = (days: number, currency: string) => ({
      account,
      of: { provider, account: name, currency, day: dayOf(startMs + days * dayMs) },
    });
    const days = [-1, 0, 1, 2].map((by) => of(by, 'RUB'));
    return isAtBank(account) ? days : [...days, of(0, 'USD')];
  });
}
