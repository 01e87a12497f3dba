import { findings, type FindingKind, type FindingSays } from './findings.ts';
import {
  mostLinesInEvent,
  type FindingDecision,
  type StatementEvent,
  type StatementOf,
  type StoredLine,
} from './events.ts';

type ImportRecord = Extract<StatementEvent, { type: 'StatementImported' }>['data'];

/** A day's statement as its stream has it. */
export type StatementState = {
  revision: number;
  /** The highest import number that was used. */
  latestImport: number;
  /** The current import: the newest complete one. */
  imported?: ImportRecord;
  closed: Readonly<Record<string, FindingClosure>>;
};

/** A person's decision on a finding, and the finding's amounts then; neither in old events. */
type FindingClosure = Pick<
  Extract<StatementEvent, { type: 'StatementFindingClosed' }>['data'],
  'decision' | 'note' | 'amount' | 'counted'
>;

export const noStatement: StatementState = { revision: -1, latestImport: 0, closed: {} };

/**
 * The number of the next import; undefined if the same statement is already imported.
 */
export function nextImport(state: StatementState, digest: string): number | undefined {
  return state.imported?.digest === digest ? undefined : state.latestImport + 1;
}

/** The most bytes of lines in an event: a store takes 1 MB. */
const mostLineBytes = 256 * 1024;

/** Splits lines, in their order, into groups that fit an event. */
export function* chunksOf(lines: readonly StoredLine[]): Generator<StoredLine[]> {
  let chunk: StoredLine[] = [];
  let bytes = 0;
  for (const line of lines) {
    // A character takes three bytes at most, or six where it is escaped.
    const size = 300 + 6 * (line.leg_id.length + (line.of_leg_id?.length ?? 0));
    if (chunk.length === mostLinesInEvent || bytes + size > mostLineBytes) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(line);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

type CloseFinding = {
  of: StatementOf;
  findingId: string;
  decision: FindingDecision;
  note: string;
  /** The current finding; undefined if there is none with that id. */
  finding: FindingSays | undefined;
};

export type CloseDecision =
  | { ok: true; events: StatementEvent[] }
  | { ok: false; code: 'unknown_finding' | 'note_missing' };

/**
 * Records that a person has reviewed a finding; a repeat with the same text and amounts adds no
 * event.
 */
export function closeFinding(
  state: StatementState,
  { of, findingId, decision, note, finding }: CloseFinding,
): CloseDecision {
  if (note.trim() === '') return { ok: false, code: 'note_missing' };
  const before = Object.hasOwn(state.closed, findingId) ? state.closed[findingId] : undefined;
  // A closed finding may be gone since; its note, about what it was then, can still be changed.
  const figures = saying(finding ?? before ?? {});
  const same = figures.amount === before?.amount && figures.counted === before?.counted;
  if (same && before?.decision === decision && before.note === note)
    return { ok: true, events: [] };
  const kind = finding?.kind ?? (before && findingKind(findingId));
  if (!kind) return { ok: false, code: 'unknown_finding' };
  const data = { ...of, finding_id: findingId, finding: kind, decision, note, ...figures };
  return { ok: true, events: [{ type: 'StatementFindingClosed', data }] };
}

const saying = ({ amount, counted }: Omit<FindingSays, 'kind'>) => ({
  ...(amount !== undefined && { amount }),
  ...(counted !== undefined && { counted }),
});

/** The id begins with it. */
const findingKind = (id: string): FindingKind | undefined =>
  findings.find(
    (kind) => id === kind || (id.startsWith(kind) && /^[.:@]/.test(id.slice(kind.length))),
  );
