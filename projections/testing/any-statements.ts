import { createRandom } from '#infra/verify/harness/tests/random.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { lineKinds, type StoredLine } from '#shared/domain/statements/events.ts';
import { match, type CountedMoney, type Match } from './match-statement.ts';

export const days = ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-03'];
export const operation = (n: number) => `6f1d5b1e-0000-8000-8000-${String(n).padStart(12, '0')}`;

export type Day = { day: string; lines: StoredLine[]; opening?: string; closing?: string };
/** `before`: returned before the end of the operation, from a leg that is counted too. */
export type Counted = CountedMoney & { before?: true };
/** What operations count at an account, and its statements. */
export type Sample = { money: Counted[]; days: Day[] };

/** Uses few ids and amounts, so that they often coincide. */
export function sampleStatements(seed: number, firstOperation = 0): Sample {
  const { below } = createRandom(seed);
  const oneOf = <T>(list: readonly T[]) => list[below(list.length)] as T;
  const timeOn = (day: string) =>
    `${day}T${oneOf(['00:00:00.000', '11:30:00.000', '23:59:59.999'])}Z`;
  const money: Counted[] = [];
  const known = new Set<string>();
  for (let n = below(14); n > 0; n -= 1) {
    const operationNumber = firstOperation + below(8);
    const [legId, operationId] = [`leg-${below(9)}`, operation(operationNumber)];
    if (known.has(`${legId} ${operationId}`)) continue;
    known.add(`${legId} ${operationId}`);
    const direction = operationNumber % 2 === 0 ? 'in' : 'out';
    const amount = oneOf(['0.00', '10.00', '10.00', '20.00']);
    const isReturn = below(4) === 0;
    const part: CountedMoney = {
      kind: isReturn ? 'return' : 'transfer',
      ...(isReturn && { ofLegId: `leg-${below(3)}` }),
      legId,
      operationId,
      direction,
      amount,
      completedAt: timeOn(oneOf([...days, '2026-01-29', '2026-02-02'])),
    };
    money.push(part);
    if (!isReturn && below(5) === 0) money.push({ ...part, amount: '10.00' });
    if (!isReturn && amount !== '0.00' && below(3) === 0) {
      const backId = oneOf([`leg-${below(9)}`, `back-${n}`]);
      if (known.has(`${backId} ${operationId}`)) continue;
      known.add(`${backId} ${operationId}`);
      const completedAt = timeOn(oneOf(days));
      const back = { ofLegId: legId, legId: backId, operationId, amount: '10.00', completedAt };
      money.push({
        kind: 'return',
        ...back,
        direction: direction === 'in' ? 'out' : 'in',
        before: true,
      });
    }
  }
  const lineOf = (day: string, line: number): StoredLine => {
    const reported = money.length > 0 && below(3) > 0 ? oneOf(money) : undefined;
    const kind = below(4) > 0 ? (reported?.kind ?? 'transfer') : oneOf(lineKinds);
    const { legId = `leg-${below(9)}`, direction = oneOf(['in', 'out'] as const) } = reported ?? {};
    const operationId =
      reported && below(6) > 0 ? reported.operationId : operation(firstOperation + below(8));
    return {
      line,
      kind,
      direction: below(9) === 0 ? 'out' : direction,
      leg_id: legId,
      ...(below(5) === 0 && { of_leg_id: `leg-${below(3)}` }),
      ...(below(3) > 0 && { operation_id: operationId }),
      amount: reported && below(6) > 0 ? reported.amount : oneOf(['10.00', '20.00']),
      completed_at: timeOn(day),
    };
  };
  const imported = days.filter(() => below(4) > 0);
  const statements = imported.map((day) => {
    const lines = Array.from({ length: below(10) }, (_, index) => lineOf(day, index + 1));
    const balances = {
      ...(below(3) > 0 && { opening: oneOf(['0.00', '5.00']) }),
      ...(below(3) > 0 && {
        closing: below(2) > 0 ? oneOf(['0.00', '5.00']) : fromMinor(sumOf(lines)),
      }),
    };
    return { day, lines, ...balances };
  });
  return { money, days: statements };
}

export const minor = (amount: string) => BigInt(amount.replace('.', ''));
export const sumOf = (lines: readonly StoredLine[], directions = ['in', 'out']) =>
  lines
    .filter(({ direction }) => directions.includes(direction))
    .reduce(
      (sum, { direction, amount }) => sum + (direction === 'out' ? -minor(amount) : minor(amount)),
      0n,
    );

/** The result for a day according to the specification. */
export const expected = (sample: Sample, { day }: Day): Match =>
  match(
    day,
    sample.days.map(({ opening, closing, ...each }) => ({
      ...each,
      openingBalance: opening,
      closingBalance: closing,
    })),
    sample.money,
  );
