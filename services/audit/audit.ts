import type { Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { Checkpoint } from './chain/checkpoint.ts';
import { createSinceCheck } from './chain/since.ts';
import { compareOutside, type OutsideReport } from './compare/compare-outside.ts';
import { chooseStandings } from './compare/standings.ts';
import type { Findings } from './findings/findings.ts';
import { createdMsOf } from './log/log-event.ts';
import type { RawLog } from './log/read-log.ts';
import { judgeDuplicates, judgeOutstanding } from './pass/judge-end.ts';
import type { CheckCounts } from './pass/counts.ts';
import { createPass, type Pass } from './pass/pass.ts';
import type { ReportFigures } from './callbacks/reports.ts';
import type { ReportKeys } from './callbacks/verify-report.ts';
import { createLimits } from './rows/limits.ts';
import { createRecordedRows } from './rows/record-rows.ts';
import { createRowIndex } from './rows/row-index.ts';
import { noRows } from './rows/rows.ts';
import { makeSpillFolder } from './spill/temp-folder.ts';

type AuditOptions = {
  log: RawLog;
  findings: Findings;
  /** What is made from the log and compared with it; undefined: the log alone. */
  outside?: { db: Kysely<unknown>; store: Pick<EventStore, 'read'> } | undefined;
  shopId?: string | undefined;
  /** The books as they were then, epoch milliseconds. */
  atMs?: number | undefined;
  /** The log up to there must be what it was. */
  since?: Checkpoint | undefined;
  onProgress?(progress: { events: number; position: number; until: number }): void;
  /** What providers signed is verified with them. */
  reportKeys?: ReportKeys | undefined;
  /** What was owed for less is on its way. */
  graceMs?: number;
  /** It reads no more events a second. */
  pace?: number | undefined;
  /** Operations in memory. */
  inMemory?: number;
  signal?: AbortSignal;
};

export type AuditResult = {
  /** Whose books alone. */
  shopId?: string;
  /** Of the one shop, where it is one's books. */
  events: number;
  operations: number;
  entries: number;
  ledgers: number;
  /** The last one that was read, and when the log took it. */
  position: number;
  newestMs: number;
  /** As of when it is judged what is owed, epoch milliseconds. */
  asOfMs: number;
  /** The chain over the journal up to there. */
  chain: { events: number; hash: string };
  /** Whether the log up to the checkpoint is what it was; undefined if there was none. */
  sinceHolds?: boolean;
  /**
   * How many things of each kind the rules of the log were checked on. A kind with none is absent.
   */
  checked: CheckCounts;
  /** What became of the callbacks that are kept as they were signed. */
  reports: ReportFigures;
  /** Owed, and still in flight. */
  inFlight: number;
  outside?: OutsideReport;
  notes: string[];
};

const defaultGraceMs = 30_000;
const pollPauseMs = 500;
const longestMessageWaitMs = 20_000;

/**
 * Reads the log once, judges it, and compares what was made of it. @throws when a store does not
 * answer
 */
export async function audit(options: AuditOptions): Promise<AuditResult> {
  const { log, findings, outside, shopId, atMs, since, graceMs = defaultGraceMs } = options;
  const { report } = findings;
  const spill = makeSpillFolder();
  const notes: string[] = [];
  const closing: (() => void)[] = [spill.remove];
  try {
    const standings =
      outside && atMs === undefined ? await chooseStandings(outside.db, log) : undefined;
    const until = standings?.until ?? (await log.head());
    const expected = standings && expectRows(spill.path, { standings, until, shopId });
    const { inMemory, reportKeys } = options;
    const rows = expected?.rows ?? noRows;
    const pass = createPass({ folder: spill.path, report, shopId, inMemory, reportKeys, rows });
    closing.unshift(() => pass.close());
    if (expected) closing.unshift(expected.index.close);
    const check = since && createSinceCheck(since, pass, report);
    const reading = { log, pass, until, check, options };
    const stoppedEarly = await read(reading, { upTo: until, atMs });
    const newest = pass.counts().newestMs;
    const ended = pass.endedAt() !== undefined;
    const unproven = stoppedEarly && check?.isReached() === false;
    if (!ended) refuseInVain(reading, unproven);
    if (ended && unproven)
      notes.push('the checkpoint lies beyond that: whether it holds is not known');
    if (ended)
      notes.push('the audit ended at what a newer version wrote: use that version’s audit');
    let outsideReport: OutsideReport | undefined;
    if (!ended && outside && expected) {
      outsideReport = await compareOutside({
        ...outside,
        ...expected,
        log,
        pass,
        folder: spill.path,
        shopId,
        report,
        notes,
        until,
        // Messages need the relay and the ingest: none are expected if no gateway runs.
        messageWaitMs: expected.standings.running ? Math.min(graceMs, longestMessageWaitMs) : 0,
        readOn: (upTo) => read(reading, { upTo, atMs: undefined }),
      });
    }
    // Beside a running gateway, what has just happened has its consequences in a moment.
    const running = !ended && (standings?.running ?? false);
    if (running) await awaitOutstanding(reading, { until, graceMs });
    const nowMs = asOf(pass, { atMs, running });
    const inFlight = ended ? 0 : judgeOutstanding(pass, { report, nowMs, graceMs, shopId });
    pass.end();
    await judgeDuplicates(pass, report, (position) => log.at(position));
    notes.push(...pass.notes(), ...notCompared(options));
    const { position, newestMs } = pass.counts();
    return {
      ...figuresOf(pass, shopId),
      position,
      newestMs: stoppedEarly ? newest : newestMs,
      asOfMs: nowMs,
      chain: { events: pass.chain.events(), hash: pass.chain.hash() },
      ...(check && !unproven && { sinceHolds: check.end() }),
      checked: pass.checked(),
      reports: pass.reports(),
      inFlight,
      ...(outsideReport && { outside: outsideReport }),
      notes,
    };
  } finally {
    for (const close of closing) close();
  }
}

type Standings = Awaited<ReturnType<typeof chooseStandings>>;

/** What the log gives for every table that is made from it, to be compared. */
function expectRows(
  folder: string,
  { standings, until, shopId }: { standings: Standings; until: number; shopId: string | undefined },
) {
  const limits = createLimits(standings.limits);
  const index = createRowIndex(folder, 'expected');
  const messagesUpTo = () => until;
  const rows = createRecordedRows({ index, limits, messagesUpTo, ...(shopId && { shopId }) });
  return { standings, limits, index, rows };
}

function notCompared({ outside, atMs }: AuditOptions): string[] {
  if (!outside) return ['the log alone: read models and webhooks were not compared'];
  return atMs === undefined
    ? []
    : ['the books as they were: what is made from the log is of now, and was not compared'];
}

/** @throws when what was asked for can't be said of what was read */
function refuseInVain({ pass, options: { shopId, atMs } }: Reading, unproven: boolean): void {
  // What lies between was not read: nobody can say whether it was rewritten.
  if (unproven)
    throw new Error('--at is before the checkpoint of --since, up to which the log has to be read');
  if (shopId !== undefined && !pass.hasShop(shopId))
    throw new Error(`the log knows no shop ${shopId}${atMs === undefined ? '' : ' at that time'}`);
}

/**
 * Nothing is known of a time that is still to come; where nothing runs, of none after the newest
 * event.
 */
function asOf(
  pass: Pass,
  { atMs, running }: { atMs: number | undefined; running: boolean },
): number {
  if (atMs !== undefined) return Math.min(atMs, Date.now());
  return running ? Date.now() : pass.counts().newestMs;
}

function figuresOf(pass: Pass, shopId: string | undefined) {
  const { events, operations, entries } = pass.shopFigures() ?? pass.counts();
  const ledgers = [...pass.ledgers()].filter(
    (each) => shopId === undefined || each.shopId === shopId,
  );
  const figures = { events, operations, entries, ledgers: ledgers.length };
  return shopId === undefined ? figures : { shopId, ...figures };
}

type Reading = {
  log: RawLog;
  pass: Pass;
  until: number;
  check: ReturnType<typeof createSinceCheck> | undefined;
  options: AuditOptions;
};

/**
 * Takes the events from where the pass stands up to a position. @returns whether the given time
 * came before that
 */
async function read(
  { log, pass, until, check, options }: Reading,
  { upTo, atMs }: { upTo: number; atMs: number | undefined },
): Promise<boolean> {
  const { position, events: before } = pass.counts();
  if (position >= upTo) return false;
  const startedAt = performance.now();
  for await (const batch of log.read(position)) {
    options.signal?.throwIfAborted();
    for (const event of batch) {
      if (event.position > upTo) return false;
      check?.before(event.position);
      if (atMs !== undefined && createdMsOf(event) > atMs) return true;
      pass.take(event);
      if (pass.endedAt()) return true;
    }
    const { events, position: reached } = pass.counts();
    options.onProgress?.({ events, position: reached, until });
    const aheadMs =
      ((events - before) / (options.pace ?? Infinity)) * 1_000 - (performance.now() - startedAt);
    if (aheadMs > 1) await delay(aheadMs, undefined, { signal: options.signal });
  }
  return false;
}

/** Keeps reading while recently owed messages are still outstanding, within the grace period. */
async function awaitOutstanding(
  reading: Reading,
  { until, graceMs }: { until: number; graceMs: number },
): Promise<void> {
  const deadline = performance.now() + graceMs + pollPauseMs;
  const onItsWay = () =>
    reading.pass
      .outstanding()
      .some(
        ({ position, sinceMs }) =>
          position <= until && sinceMs <= Date.now() && sinceMs + graceMs >= Date.now(),
      );
  while (performance.now() < deadline && onItsWay()) {
    await delay(pollPauseMs);
    await read(reading, { upTo: await reading.log.head(), atMs: undefined });
  }
}
