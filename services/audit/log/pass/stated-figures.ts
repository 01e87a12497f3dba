import { createChain, portableRecord } from '#shared/application/log/chain.ts';
import { decodeAuditEvent, type AuditRan } from '#shared/domain/audit/events.ts';
import { decodeLogEvent } from '#shared/domain/log/events.ts';
import { isPermanent } from '#shared/domain/log/retention.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { graceMs } from '../../authority/commands.ts';
import type { EventEnvelope, FlagViolation } from '../../report/findings/report-violation.ts';

/** What the log has up to a position. */
type Figures = { events: number; operations: number; entries: number; openOperations: number };
type FigureContext = { envelope: EventEnvelope; flag: FlagViolation };

/** A recorded audit is compared if it ended within this many events before its record. */
const comparedEvents = 131_072;

/** What a program of the gateway could not count as a later one does. */
const uncounted: ReadonlySet<string> = new Set(['log.newer_version', 'log.undecodable']);

/** Compares what moves and recorded audits state of the log with what it has up to there. */
export function createStatedFigures() {
  const moved = createChain();
  const recent = createRecentFigures();
  let wrongAudits: (() => void)[] = [];

  const whyNotMoved = ({ events, digest }: { events: number; digest: string }) => {
    if (events !== moved.events())
      return `the move states ${events} events, and ${moved.events()} come before it`;
    return digest === moved.hash()
      ? undefined
      : `the move states the digest ${digest}, and the events before it have ${moved.hash()}`;
  };
  return {
    /** To be called once an event is judged. */
    add: (event: RawEvent, figures: Figures): void => {
      recent.add(event.position, figures);
      if (isPermanent(event.stream)) moved.add(portableRecord(event));
    },
    move: ({ envelope, flag }: FigureContext): void => {
      const event = decodeLogEvent(envelope);
      if (event.type !== 'LogMoved') return;
      flag('log.figures', whyNotMoved(event.data));
      // Positions before it are those of the first log.
      wrongAudits = [];
    },
    audit: ({ envelope, flag }: FigureContext): void => {
      const event = decodeAuditEvent(envelope);
      if (event.type !== 'AuditRan') return;
      const why = whyNotAudited(event.data, envelope, recent.upTo(Number(event.data.position)));
      if (why !== undefined) wrongAudits.push(() => flag('log.figures', why));
    },
    /** Reports recorded audits, unless a move followed. */
    end: (): void => wrongAudits.forEach((report) => report()),
  };
}

function whyNotAudited(
  ran: AuditRan,
  { event: { position }, atMs }: EventEnvelope,
  had: Figures | undefined,
): string | undefined {
  if (Number(ran.position) >= position)
    return `the audit read up to position ${ran.position}, which comes later`;
  if (Date.parse(ran.started_at) > atMs + graceMs)
    return `the audit started at ${ran.started_at}, which is later`;
  if (ran.as_of !== null && Date.parse(ran.as_of) > atMs + graceMs)
    return `the audit is as of ${ran.as_of}, which is later`;
  const contradiction = whyContradictory(ran, atMs);
  if (contradiction !== undefined) return contradiction;
  if (!had || ran.audited_shop_id !== undefined || !isCounted(ran)) return undefined;
  const { operations, entries, open_operations: open } = ran;
  // A scavenge removes events, and none is added.
  if (ran.events < had.events)
    return `the audit read ${ran.events} events up to position ${ran.position}, where there are ${had.events}`;
  const same =
    operations === had.operations &&
    entries === had.entries &&
    (open === undefined || open === had.openOperations);
  return same
    ? undefined
    : `the audit counted ${operations} operations (${open ?? 'unknown'} open) and ${entries} entries up to position ${ran.position}, where there are ${had.operations} (${had.openOperations}) and ${had.entries}`;
}

/** Whether the figures of a run are what another audit counts up to there. */
export const isCounted = ({ rules }: Pick<AuditRan, 'rules'>): boolean =>
  !rules.some(({ rule, violations }) => violations > 0 && uncounted.has(rule));

/** What a run states that can't be true together. */
function whyContradictory(ran: AuditRan, atMs: number): string | undefined {
  const { outcome, rules, callbacks, started_at: started, seconds } = ran;
  if (Date.parse(started) + seconds * 1_000 > atMs + graceMs)
    return `the audit started at ${started} and took ${seconds} s, which ends later`;
  const violations = rules.reduce((sum, rule) => sum + rule.violations, 0);
  if (violations > 0 !== (outcome === 'violated'))
    return `the audit states the outcome ${outcome} with ${violations} violations`;
  return callbacks && callbacks.verified + callbacks.failed > callbacks.stored
    ? `the audit read ${callbacks.verified + callbacks.failed} callbacks of ${callbacks.stored}`
    : undefined;
}

/** The figures at each of the newest positions. */
function createRecentFigures() {
  const columns = Array.from({ length: 5 }, () => new Float64Array(comparedEvents));
  let added = 0;
  const at = (index: number): number[] =>
    columns.map((column) => column[index % comparedEvents] ?? 0);
  return {
    add: (position: number, { events, operations, entries, openOperations }: Figures): void => {
      const row = [position, events, operations, entries, openOperations];
      for (const [index, column] of columns.entries())
        column[added % comparedEvents] = row[index] ?? 0;
      added += 1;
    },
    /** Undefined if the events up to there are too old. */
    upTo: (position: number): Figures | undefined => {
      let [low, high] = [Math.max(0, added - comparedEvents), added - 1];
      if (high < low || (at(low)[0] ?? 0) > position) return undefined;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if ((at(middle)[0] ?? 0) <= position) low = middle;
        else high = middle - 1;
      }
      const [, events = 0, operations = 0, entries = 0, openOperations = 0] = at(low);
      return { events, operations, entries, openOperations };
    },
  };
}
