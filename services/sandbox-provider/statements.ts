import { z } from 'zod';
import {
  wireStatementLineSchema,
  type WireStatement,
  type WireStatementLine,
} from '#shared/application/providers/sandbox/wire.ts';
import { defaultAccount } from '#shared/domain/provider/accounts.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { dayMs } from '#shared/domain/day.ts';
import type { Movements } from './store/movements.ts';

/** Lines on a page. */
const statementLines = 5_000;

const where = {
  account: z.string().optional(),
  currency: z.string().optional(),
  day: z.iso.date().optional(),
};
const amount = wireStatementLineSchema.shape.amount;
const legId = wireStatementLineSchema.shape.leg_id;

/** Differences that a test adds to statements. They last as long as the process. */
export const statementDifferenceSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...where, kind: z.literal('missing'), leg_id: legId }),
  z.strictObject({ ...where, kind: z.literal('duplicate'), leg_id: legId }),
  z.strictObject({ ...where, kind: z.literal('amount'), leg_id: legId, amount }),
  /** The line names another operation, or none. */
  z.strictObject({
    ...where,
    kind: z.literal('operation'),
    leg_id: legId,
    operation_id: z.string().max(64).optional(),
  }),
  z.strictObject({ ...where, kind: z.literal('extra'), line: wireStatementLineSchema }),
  /** A closing balance that does not follow. */
  z.strictObject({
    ...where,
    kind: z.literal('closing'),
    by: z.string().regex(/^-?\d{1,15}\.\d{2}$/),
  }),
]);
type StatementDifference = z.infer<typeof statementDifferenceSchema>;

const first = '0000';
const all = { limit: -1, offset: 0 };

/** `account`: absent for the first one. */
type StatementRequest = {
  account?: string | undefined;
  currency: string;
  day: string;
  page: number;
};

/** The provider's statements, by account, day and currency, in pages. */
export function createSandboxStatements(movements: Movements, now: () => number) {
  let differences: StatementDifference[] = [];
  return {
    differences: () => differences,
    plant: (difference: StatementDifference) => void differences.push(difference),
    clear: () => void (differences = []),

    page({ account, currency, day, page }: StatementRequest): WireStatement {
      const from = `${day}T`;
      const until = `${new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10)}T`;
      const ofDay = { account, currency, from, until };
      const name = account ?? defaultAccount;
      const here = differences.filter(
        (each) =>
          (each.account ?? name) === name &&
          (each.currency ?? currency) === currency &&
          (each.day ?? day) === day,
      );
      const opening = movements.sum({ account, currency, from: first, until: from });
      const at = { limit: statementLines, offset: (page - 1) * statementLines };
      const last = movements.count(ofDay) <= at.offset + statementLines;
      const lines = plantIn(movements.between({ ...ofDay, ...at }), here, last);
      const planted =
        here.length === 0 ? 0n : plantedSum(movements.between({ ...ofDay, ...all }), here);
      const moved = movements.sum(ofDay) + planted;
      return {
        currency,
        day,
        page,
        final: new Date(now()).toISOString().slice(0, 10) > day,
        opening_balance: fromMinor(opening),
        closing_balance: fromMinor(opening + moved),
        lines,
        more: !last,
      };
    },
  };
}

export type SandboxStatements = ReturnType<typeof createSandboxStatements>;

/** A page's lines with the differences applied; lines without a movement are on the last page. */
function plantIn(
  lines: readonly WireStatementLine[],
  differences: readonly StatementDifference[],
  last: boolean,
): WireStatementLine[] {
  return differences.reduce<WireStatementLine[]>(
    (shown, each) => plantOne(shown, each, last),
    [...lines],
  );
}

function plantOne(
  lines: readonly WireStatementLine[],
  difference: StatementDifference,
  last: boolean,
): WireStatementLine[] {
  switch (difference.kind) {
    case 'missing':
      return lines.filter(({ leg_id: id }) => id !== difference.leg_id);
    case 'duplicate':
      return lines.flatMap((line) => (line.leg_id === difference.leg_id ? [line, line] : [line]));
    case 'amount':
      return lines.map((line) =>
        line.leg_id === difference.leg_id ? { ...line, amount: difference.amount } : line,
      );
    case 'operation':
      return lines.map((line) => {
        if (line.leg_id !== difference.leg_id) return line;
        const { operation_id: _, attempt, ...rest } = line;
        const { operation_id } = difference;
        return {
          ...rest,
          ...(operation_id !== undefined && { operation_id, attempt: attempt ?? 1 }),
        };
      });
    case 'extra':
      return last ? [...lines, difference.line] : [...lines];
    case 'closing':
      return [...lines];
  }
}

/** The total of the differences. */
function plantedSum(
  lines: readonly WireStatementLine[],
  differences: readonly StatementDifference[],
): bigint {
  const sum = (of: readonly WireStatementLine[]) =>
    of.reduce(
      (total, { direction, amount: moved }) =>
        total + toMinor(moved) * (direction === 'in' ? 1n : -1n),
      0n,
    );
  const off = differences.reduce(
    (total, each) => total + (each.kind === 'closing' ? toMinor(each.by) : 0n),
    0n,
  );
  return sum(plantIn(lines, differences, true)) - sum(lines) + off;
}
