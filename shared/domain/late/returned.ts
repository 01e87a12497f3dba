import { sum, type Amount } from '../money.ts';
import type { Operation } from '../operation/state.ts';
import type { LateState } from './state.ts';

/**
 * All that went back of an operation's money, before and after its end, as it is known now: with
 * the corrections of what went back (R5.17).
 */
export function returnedSoFar(
  { returns }: Pick<Operation, 'returns'>,
  late: Pick<LateState, 'returns' | 'posted'>,
): Amount {
  const corrections = Object.entries(late.posted).flatMap(([key, amount]) =>
    key.startsWith('return ') ? amount : [],
  );
  return sum([
    ...returns.map(({ counted }) => counted),
    ...Object.values(late.returns).map(({ amount }) => amount),
    ...corrections,
  ]);
}
