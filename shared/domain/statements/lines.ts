import { statementLineSchema, type StoredLine } from './events.ts';

/**
 * What can be wrong with a line of a statement that is to be imported, by the field that it is in.
 */
const lineFaults = [
  'kind',
  'direction',
  'leg_id',
  'of_leg_id',
  'operation_id',
  'attempt',
  'amount',
  'completed_at',
] as const;
export type LineFault = (typeof lineFaults)[number];

const text = /^[^\0]*$/;

/**
 * A line as it is stored, or the field that is wrong. An operation's money must have moved on one
 * of `days`: that of the statement and its neighbours, since banks book around midnight. A line of
 * 0.00, such as a waived fee, is accepted, because refusing it would refuse the whole day.
 */
export function decodeLine(
  line: StoredLine,
  days: readonly string[],
): StoredLine | { code: LineFault } {
  const parsed = statementLineSchema.safeParse(line);
  if (!parsed.success) {
    const [field] = parsed.error.issues[0]?.path ?? [];
    return { code: lineFaults.find((each) => each === field) ?? 'kind' };
  }
  const { leg_id: legId, of_leg_id: ofLegId = '', operation_id: operationId = '' } = line;
  if (!isText(legId)) return { code: 'leg_id' };
  if (!isText(ofLegId)) return { code: 'of_leg_id' };
  if (!isText(operationId)) return { code: 'operation_id' };
  if (line.operation_id === undefined && line.attempt !== undefined) return { code: 'attempt' };
  if (isOfOperation(line) && !days.includes(line.completed_at.slice(0, 10)))
    return { code: 'completed_at' };
  return parsed.data;
}

/** By its kind. A fee or a correction may be booked days later; it is a finding in any case. */
const isOfOperation = ({ kind }: StoredLine): boolean =>
  kind === 'transfer' || kind === 'return' || kind === 'chargeback';

/** Whether every store can hold the text. */
const isText = (value: string): boolean => value.isWellFormed() && text.test(value);
