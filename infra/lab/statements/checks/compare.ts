import type { GivenStatement } from '#shared/application/statements/import.ts';
import { findingId } from '#shared/domain/statements/findings.ts';
import {
  statementStream,
  type StatementOf,
  type StoredLine,
} from '#shared/domain/statements/events.ts';
import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { iso } from '../log/life.ts';
import type { Planted, PlannedLine } from '../plan/planned.ts';
import { linesOf } from '../provider/file.ts';

/** A finding by its statement and its id. */
export const keyOf = (of: StatementOf, id: string): string => `${statementStream(of)} ${id}`;

/**
 * What a planted difference is to be found as. Of what stands there twice it is the second line.
 */
export function keyOfPlanted(
  { of, finding, legId, operationId }: Planted,
  lines: readonly StoredLine[],
): string {
  const line = lines.findLast((each) => each.leg_id === legId)?.line;
  const about =
    legId === undefined
      ? undefined
      : {
          legId,
          operationId,
          ...(finding === 'duplicate_line' && line !== undefined && { line }),
        };
  return keyOf(of, findingId(finding, about));
}

export type Compared = {
  planted: number;
  found: number;
  /** Planted and not found, and found though nobody planted it. */
  missed: string[];
  surplus: string[];
};

export function compare(planted: readonly string[], found: readonly string[]): Compared {
  const [wanted, there] = [new Set(planted), new Set(found)];
  // A finding that stands there twice is one too many.
  const twice = found.filter((key, place) => found.indexOf(key, place + 1) >= 0);
  return {
    planted: wanted.size,
    found: found.length,
    missed: [...wanted].filter((key) => !there.has(key)),
    surplus: [...[...there].filter((key) => !wanted.has(key)), ...twice],
  };
}

/**
 * How a statement that came in differs from what its provider was to say; undefined: not at all.
 */
export function differenceOf(
  { of, lines }: Pick<GivenStatement, 'of' | 'lines'>,
  planned: readonly PlannedLine[],
): string | undefined {
  const came = lines.map((line) => rowOf(line)).toSorted();
  const wanted = linesOf(of, planned).map(plannedRow).toSorted();
  const at = wanted.findIndex((row, place) => row !== came[place]);
  if (at < 0 && came.length === wanted.length) return undefined;
  return `${statementStream(of)}: ${came.length} lines came, ${wanted.length} were to come: ${came[at]} for ${wanted[at]}`;
}

const plannedRow = ({ kind, direction, legId, ofLegId, of, minor, atMs }: PlannedLine): string =>
  rowOf({
    kind,
    direction,
    leg_id: legId,
    of_leg_id: ofLegId,
    operation_id: of?.operationId,
    attempt: of?.attempt,
    amount: fromMinor(BigInt(minor)),
    completed_at: iso(atMs),
  });

type Row = { [Field in keyof Omit<StoredLine, 'line'>]: StoredLine[Field] | undefined };

const rowOf = (line: Row): string =>
  JSON.stringify([
    line.kind,
    line.direction,
    line.leg_id,
    line.of_leg_id,
    line.operation_id,
    line.attempt,
    line.amount,
    line.completed_at,
  ]);
