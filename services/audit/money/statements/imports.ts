import { createHash, type Hash } from 'node:crypto';
import type { StatementEvent, StoredLine } from '#shared/domain/statements/events.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import {
  formatExactMinor,
  parseExactMinor,
  type ExactMinor,
} from '../../log/operation/exact-arithmetic.ts';

type StatementImport = Extract<StatementEvent, { type: 'StatementImported' }>['data'];

/** The lines so far of an import that has not ended. */
type Open = { import: number; lines: number; in: bigint; out: bigint; digest: Hash };

/** A day's statement, as far as other rules need it. */
export type DayStatement = {
  index: number;
  account: number;
  day: number;
  latestImport: number;
  /** The event of the import in force. */
  at?: Pick<RawEvent, 'stream' | 'revision' | 'position'>;
  /** An import stated a balance. */
  hasBalance?: true;
  open?: Open | undefined;
  /** The import in force. */
  imported?: Pick<StatementImport, 'import' | 'opening_balance' | 'closing_balance'> & {
    moved: bigint;
  };
};

/** Applies lines of an import. @returns what is wrong with them */
export function applyLines(
  statement: DayStatement,
  { import: number, lines }: { import: number; lines: readonly StoredLine[] },
): string | undefined {
  let { open } = statement;
  if (open?.import !== number) {
    if (number <= statement.latestImport)
      return `lines of import ${number} come after import ${statement.latestImport}`;
    open = { import: number, lines: 0, in: 0n, out: 0n, digest: createHash('sha256') };
    Object.assign(statement, { open, latestImport: number });
  }
  for (const line of lines) {
    open.lines += 1;
    if (line.line !== open.lines) return `line ${line.line} stands where ${open.lines} was to come`;
    open[line.direction] += parseExactMinor(line.amount);
    open.digest.update(`${serializeLine(line)}\n`);
  }
  return undefined;
}

/** Applies the end of an import. @returns what its lines contradict */
export function applyImport(statement: DayStatement, data: StatementImport): string | undefined {
  const { import: number, opening_balance: opening, closing_balance: closing } = data;
  const empty = { import: number, lines: 0, in: 0n, out: 0n, digest: createHash('sha256') };
  const read = statement.open?.import === number ? statement.open : empty;
  const again = read === empty && number <= statement.latestImport;
  if (opening !== undefined) statement.hasBalance = true;
  Object.assign(statement, {
    open: undefined,
    latestImport: Math.max(statement.latestImport, number),
    imported: {
      import: number,
      ...(opening !== undefined && { opening_balance: opening }),
      ...(closing !== undefined && { closing_balance: closing }),
      moved: read.in - read.out,
    },
  });
  if (again) return `import ${number} ends after import ${statement.latestImport}`;
  if (data.lines !== read.lines) return `it has ${read.lines} lines, but states ${data.lines}`;
  const [incoming, outgoing] = [formatExactMinor(read.in), formatExactMinor(read.out)];
  if (data.total_in !== incoming || data.total_out !== outgoing)
    return `${incoming} is incoming and ${outgoing} outgoing, but it states ${data.total_in} and ${data.total_out}`;
  const digest = read.digest.update(`${opening ?? ''}\n${closing ?? ''}`).digest('hex');
  return data.digest === digest ? undefined : 'its digest is not that of its lines and balances';
}

/** The first balance that does not follow, and what it should be. */
export function balanceDiffers(
  { imported }: DayStatement,
  dayBefore: DayStatement | undefined,
): { amount: ExactMinor; counted: ExactMinor } | undefined {
  if (imported?.opening_balance === undefined) return undefined;
  const opening = parseExactMinor(imported.opening_balance);
  const before = dayBefore?.imported?.closing_balance;
  if (before !== undefined && parseExactMinor(before) !== opening)
    return { amount: opening, counted: parseExactMinor(before) };
  if (imported.closing_balance === undefined) return undefined;
  const closing = parseExactMinor(imported.closing_balance);
  const counted = opening + imported.moved;
  return closing === counted ? undefined : { amount: closing, counted };
}

const serializeLine = (line: StoredLine): string =>
  JSON.stringify([
    line.line,
    line.kind,
    line.direction,
    line.leg_id,
    line.of_leg_id ?? null,
    line.operation_id ?? null,
    line.attempt ?? null,
    line.amount,
    line.completed_at,
  ]);
