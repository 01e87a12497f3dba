import { isAtBank, siblingOf, type Account } from '../accounts.ts';
import { dayMs } from '../log/lives.ts';
import type { Moved } from '../log/moved.ts';
import { say, type Planning } from './planning.ts';
import type { PlannedLine } from './planned.ts';

type PlantInput = { moved: Moved; line: PlannedLine; planning: Planning };

/** One way in which a provider tells of a movement what is not so. */
export type Plant = {
  /** Of which it can be told so. */
  fits?: (moved: Moved, line: PlannedLine) => boolean;
  tell(given: PlantInput): void;
};

/** What is found of a line of money that the gateway does not count there. */
export const unknownFor = ({ kind, of }: PlannedLine) =>
  kind !== 'transfer' ? 'return_not_reported' : of ? 'not_counted' : 'unknown_line';

/** The line says something else; found on the day of the statement. */
const changed = (
  finding: 'amount_differs' | 'operation_differs',
  how: string,
  change: (given: PlantInput) => PlannedLine,
  fits: NonNullable<Plant['fits']> = () => true,
): Plant => ({
  fits,
  tell: (given) => {
    const { moved, line, planning } = given;
    const said = change(given);
    say(planning, moved.account, said);
    planning.plant(moved.account, {
      finding,
      how,
      legId: line.legId,
      operationId: said.of?.operationId ?? moved.operationId,
      atMs: line.atMs,
    });
  },
});

const missing = ({ planning, moved, line: { legId } }: PlantInput, how: string) =>
  planning.plant(moved.account, {
    finding: 'not_in_statement',
    how,
    legId,
    operationId: moved.operationId,
    atMs: moved.atMs,
  });

/** No operation of this gateway. */
const otherOperation = { operationId: '6f1d5b1e-0000-8000-8000-00000000dead', attempt: 1 };

const everywhere: readonly Plant[] = [
  { tell: (given) => missing(given, 'no line') },
  changed('amount_differs', 'another amount', ({ line, planning: { random } }) => ({
    ...line,
    minor: line.minor + 1 + random.below(500),
  })),
  changed(
    'operation_differs',
    'another operation',
    ({ line }) => ({ ...line, of: otherOperation }),
    (_moved, line) => line.of !== undefined,
  ),
  changed(
    'operation_differs',
    'the other direction',
    ({ moved: { account, direction }, line: { of, ...line } }) => ({
      ...line,
      direction: direction === 'in' ? 'out' : 'in',
      // A bank can't say of what comes in whose it is.
      ...(of && !isAtBank(account) && { of }),
    }),
    ({ kind }) => kind === 'transfer',
  ),
  {
    tell: ({ planning, moved: { account }, line }) => {
      say(planning, account, { ...line, twice: true });
      const { legId, atMs } = line;
      planning.plant(account, { finding: 'duplicate_line', how: 'twice in a day', legId, atMs });
    },
  },
  {
    tell: (given) => {
      const { planning, moved, line } = given;
      const atMs = planning.startMs + 2 * dayMs + planning.random.below(3_600_000);
      say(planning, moved.account, { ...line, atMs });
      missing(given, 'two days later');
    },
  },
];

/** What a bank that numbers its transfers can't say. */
const byNames: readonly Plant[] = [
  {
    tell: ({ planning, moved: { account }, line }) => {
      const { legId, atMs } = line;
      say(planning, account, {
        ...line,
        atMs: planning.startMs - 1 - planning.random.below(3_600_000),
      });
      say(planning, account, line);
      planning.plant(account, {
        finding: 'duplicate_line',
        how: 'the day before too',
        legId,
        atMs,
      });
    },
  },
  {
    tell: (given) => {
      const { planning, moved, line } = given;
      const { legId, atMs } = line;
      const other: PlannedLine = { ...line, currency: 'USD' };
      say(planning, moved.account, other);
      const finding = unknownFor(other);
      planning.plant(moved.account, {
        finding,
        how: 'in another currency',
        legId,
        operationId: other.of?.operationId,
        atMs,
        currency: 'USD',
      });
      missing(given, 'in another currency');
    },
  },
  changed(
    'operation_differs',
    'money of another transfer',
    ({ line }) => ({ ...line, ofLegId: 'another-leg' }),
    ({ kind }) => kind !== 'transfer',
  ),
];

/** The line stands in the statement of the provider's other account. */
const otherAccount: Plant = {
  tell: (given) => {
    const { planning, moved, line } = given;
    const { legId, atMs } = line;
    const sibling = siblingOf(moved.account);
    say(planning, sibling, line);
    planning.plant(sibling, {
      finding: unknownFor(line),
      how: 'of another account',
      legId,
      operationId: line.of?.operationId,
      atMs,
    });
    missing(given, 'in another account');
  },
};

export function plantsOf(account: Account): readonly Plant[] {
  const names = isAtBank(account) ? [] : byNames;
  // The bank numbers its transfers: a line of another bank's account has no number there.
  return [...everywhere, ...names, ...(isAtBank(siblingOf(account)) ? [] : [otherAccount])];
}
