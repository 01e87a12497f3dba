import { sum, type Amount } from '../money.ts';
import type { Operation } from '../operation/state.ts';
import type { LateState } from './state.ts';

/**
 * All returned money of an operation, before and after its end, as it is known now, corrections
 * included (R5.17).
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
