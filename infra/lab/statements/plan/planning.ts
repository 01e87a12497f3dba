import type { Random } from '#infra/verify/harness/random.ts';
import type { Account } from '../accounts.ts';
import type { PlannedLine, Planted } from './planned.ts';

/** What is planned so far, and what it is planned by. */
export type Planning = {
  random: Random;
  /** How much is told otherwise than it was. */
  share: number;
  startMs: number;
  /** The next transfer that the bank's memory has no number for. */
  nextTransfer(): string;
  lines: ReadonlyMap<Account, PlannedLine[]>;
  plant(
    account: Account,
    planted: Omit<Planted, 'of'> & { atMs: number; currency?: 'RUB' | 'USD' },
  ): void;
};

export const say = (
  { lines }: Pick<Planning, 'lines'>,
  account: Account,
  line: PlannedLine,
): void => void lines.get(account)?.push(line);
