import type { Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { MoneyTotals } from '#shared/domain/audit/events.ts';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { ChainCheckpoint } from './log/chain/checkpoint.ts';
import { createSinceCheck } from './log/chain/checkpoint-check.ts';
import {
  createRecordedCheck,
  judgeFirstSigned,
  readRecordedAudits,
  readSignedFrom,
  type RecordedJournal,
} from './log/chain/recorded-audits.ts';
import type { ReceiptStore } from '#shared/application/receipts/receipt-store.ts';
import { judgeReceiptFiles, type FileFigures } from './receipt-files/judge-files.ts';
import { compareOutside, type OutsideReport } from './read-models/compare/compare-outside.ts';
import { fixPositions, type ComparePositions } from './read-models/compare/snapshot.ts';
import type { Findings } from './report/findings/findings.ts';
import { createdMs } from '#shared/platform/event-store/reading/raw-event.ts';
import { sumMoneyTotals } from './money/ledger/money-totals.ts';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { judgeIds, judgeOutstanding } from './log/pass/judge-end.ts';
import type { CheckCounts } from './log/pass/counts.ts';
import { Pass } from './log/pass/log-pass.ts';
import type { ReportFigures } from './log/callbacks/reports.ts';
import type { ReportKeys } from './log/callbacks/verify-report.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';
import { createLimits } from './read-models/rows/limits.ts';
import { createRecordedRows } from './read-models/rows/record-rows.ts';
import { createRowIndex } from './read-models/rows/row-index.ts';
import { makeSpillFolder } from './log/spill/temp-folder.ts';

type AuditOptions = {
  log: RawLog;
  findings: Findings;
  /** The read models and webhooks to compare with the log; undefined: only the log is audited. */
  outside?: { db: Kysely<unknown>; store: Pick<EventStore, 'read'> } | undefined;
  shopId?: string | undefined;
  /** Audits the books as they were at this time, in epoch milliseconds. */
  atMs?: number | undefined;
  /** An earlier checkpoint: the log up to it must not have changed. */
  since?: ChainCheckpoint | undefined;
  /** Older checkpoints that must hold, too. */
  earlier?: readonly RecordedJournal[] | undefined;
  onProgress?(progress: { events: number; position: number; until: number }): void;
  /** The store of uploaded receipts, whose files are compared with the log. */
  receipts?: Pick<ReceiptStore, 'get'> | undefined;
  /** Those files are not compared, as in a restored copy that has none. */
  withoutReceipts?: boolean | undefined;
  /** Called when the log is read, before it is compared with what was computed from it. */
  onCompare?(): void;
  /** Verify the callbacks that providers signed. */
  reportKeys?: ReportKeys | undefined;
  /** Verify the signatures of events. */
  logKeys?: readonly LogKey[] | undefined;
  /** Events that have been due for less than this are in flight, not missing. */
  graceMs?: number;
  /** The most events to read per second. */
  pace?: number | undefined;
  /** How many operations to keep in memory. */
  inMemory?: number;
  signal?: AbortSignal;
};

export type AuditResult = {
  /** Reports only on this shop. */
  shopId?: string;
  /** Counts of the one shop if a shop was named, else of the whole log. */
  events: number;
  operations: number;
  entries: number;
  ledgers: number;
  openOperations: number;
  money: MoneyTotals[];
  /** The position of the last event read, and when the log wrote it. */
  position: number;
  newestMs: number;
  /** The time as of which it is judged what is due, in epoch milliseconds. */
  asOfMs: number;
  /** The hash chain over the journal up to this position. */
  chain: { events: number; hash: string };
  /** The position of the first event whose signature was verified; absent if none was. */
  signedFrom?: number;
  /** Whether the log up to the checkpoint is unchanged; undefined without a checkpoint. */
  sinceHolds?: boolean;
  /** How many things of each kind were checked. A kind with none is absent. */
  checked: CheckCounts;
  /** Signatures of events that were not verified, because there is no key. */
  unverifiedSignatures: number;
  /** How the verification of stored callbacks went. */
  reports: ReportFigures;
  /** How much is due and still in flight. */
  inFlight: number;
  outside?: OutsideReport;
  /** Absent if files of receipts were not compared. */
  files?: FileFigures;
  notes: string[];
};

const defaultGraceMs = 30_000;
const pollPauseMs = 500;
const longestMessageWaitMs = 20_000;

/**
 * Reads the log once, checks it, and compares the read models and webhooks with it.
 * @throws when a store does not answer
 */
export async function audit(options: AuditOptions): Promise<AuditResult> {
  const { log, findings, outside, shopId, atMs, since, graceMs = defaultGraceMs } = options;
  const { report, countMore } = findings;
  const spill = makeSpillFolder();
  const notes: string[] = [];
  const closing: (() => void)[] = [spill.remove];
  try {
    const positions =
      outside && atMs === undefined ? await fixPositions(outside.db, log) : undefined;
    const until = positions?.until ?? (await log.head());
    const expected = positions && expectRows(spill.path, { positions, until, shopId });
    const { inMemory, reportKeys, logKeys } = options;
    const given = { shopId, inMemory, reportKeys, logKeys, rows: expected?.rows };
    const pass = new Pass({ folder: spill.path, report, ...given });
    closing.unshift(() => pass.close());
    if (expected) closing.unshift(expected.index.close);
    const check = since && createSinceCheck(since, pass, report);
    const history = await createHistory(pass, { log, report, notes, earlier: options.earlier });
    const reading = { log, pass, until, check, history, options };
    const stoppedEarly = await read(reading, { upTo: until, atMs });
    const [newest, ended] = [pass.counts().newestMs, pass.endedAt() !== undefined];
    const unproven = stoppedEarly && check?.isReached() === false;
    if (!ended) assertEnoughRead(reading, unproven);
    if (ended) notes.push(...earlyEnd(unproven));
    let outsideReport: OutsideReport | undefined;
    if (!ended && outside && expected) {
      options.onCompare?.();
      outsideReport = await compareOutside({
        ...outside,
        ...expected,
        log,
        pass,
        folder: spill.path,
        shopId,
        report,
        countMore,
        notes,
        until,
        // Messages need the relay and the ingest, so none are expected if no gateway runs.
        messageWaitMs: expected.positions.running ? Math.min(graceMs, longestMessageWaitMs) : 0,
        readOn: (upTo) => read(reading, { upTo, atMs: undefined }),
      });
    }
    // In a running gateway, the consequences of a recent event arrive a moment later.
    const running = !ended && (positions?.running ?? false);
    if (running) await awaitOutstanding(reading, { until, graceMs });
    const nowMs = computeAsOfMs(pass, { atMs, running });
    const inFlight = ended ? 0 : judgeOutstanding(pass, { report, nowMs, graceMs, shopId });
    pass.end();
    history.end({ isWhole: !ended && !stoppedEarly, since });
    await judgeIds(pass, report, (position) => log.at(position));
    notes.push(...pass.notes(), ...notCompared(options));
    const { position, newestMs } = pass.counts();
    return {
      ...countFigures(pass, { shopId, recordedAudits: history.checked() }),
      position,
      newestMs: stoppedEarly ? newest : newestMs,
      asOfMs: nowMs,
      chain: { events: pass.chain.events(), hash: pass.chain.hash() },
      ...(check && !unproven && { sinceHolds: check.end() }),
      reports: pass.reports(),
      inFlight,
      ...(outsideReport && { outside: outsideReport }),
      ...(await judgeFiles(pass, { options, notes })),
      notes,
    };
  } finally {
    for (const close of closing) close();
  }
}

/** Notes of an audit that ended at an event that it can't read. */
function earlyEnd(unproven: boolean): string[] {
  const checkpoint = 'the checkpoint is after that position: it was not verified';
  const version = 'the audit stopped at an event of a newer version: use the audit of that version';
  return unproven ? [checkpoint, version] : [version];
}

/** The check against what earlier audits of this log have read. */
async function createHistory(
  pass: Pass,
  {
    log,
    report,
    notes,
    earlier = [],
  }: Pick<AuditOptions, 'log' | 'earlier'> & { report: Findings['report']; notes: string[] },
) {
  const recorded = await readRecordedAudits(log);
  notes.push(...recorded.notes);
  const check = createRecordedCheck([...recorded.journals, ...earlier], pass, report);
  return {
    ...check,
    end: ({ isWhole, since }: { isWhole: boolean; since: ChainCheckpoint | undefined }) => {
      if (isWhole) check.end();
      notes.push(...check.notes());
      // Positions of another store, perhaps.
      const certain = recorded.journals.filter(({ isDoubtful }) => !isDoubtful);
      const before = certain.map(({ signedFrom }) => signedFrom);
      judgeFirstSigned([...before, readSignedFrom(since)], pass, report);
    },
  };
}

/** Collects the rows that the log gives for every table, for the comparison. */
function expectRows(
  folder: string,
  {
    positions,
    until,
    shopId,
  }: { positions: ComparePositions; until: number; shopId: string | undefined },
) {
  const limits = createLimits(positions.limits);
  const index = createRowIndex(folder, 'expected');
  const messagesUpTo = () => until;
  const rows = createRecordedRows({ index, limits, messagesUpTo, ...(shopId && { shopId }) });
  return { positions, limits, index, rows };
}

function notCompared({ outside, atMs }: AuditOptions): string[] {
  if (!outside) return ['the log alone: read models and webhooks were not compared'];
  return atMs === undefined
    ? []
    : ['the log as of a time: read models and webhooks were not compared'];
}

/**
 * Compares the files of uploaded receipts. Without their store the audit is incomplete, unless only
 * the log is audited.
 */
async function judgeFiles(
  pass: Pass,
  { options, notes }: { options: AuditOptions; notes: string[] },
): Promise<{ files?: FileFigures }> {
  const { receipts, atMs, findings, outside, withoutReceipts = false } = options;
  const uploads = pass.uploads();
  if (uploads.count() === 0) return {};
  const isPartial = atMs !== undefined || withoutReceipts;
  if (receipts && !isPartial) {
    const isErased = (operationId: string) => pass.isErased(operationId);
    const { report } = findings;
    return { files: await judgeReceiptFiles(uploads, { receipts, report, isErased }) };
  }
  if (outside && !isPartial) {
    const unknown = `files of ${uploads.count()} receipts: their store is not known (RECEIPT_STORE_URL, or receipts in DATA_DIR)`;
    return { files: { compared: 0, notCompared: [unknown] } };
  }
  notes.push(`the files of ${uploads.count()} uploaded receipts were not compared with the log`);
  return {};
}

/** @throws when the events that were read are not enough for the requested rules */
function assertEnoughRead(
  { pass, options: { shopId, atMs } }: LogReading,
  unproven: boolean,
): void {
  // The events in between were not read, so it is unknown whether they were rewritten.
  if (unproven)
    throw new Error('--at is before the checkpoint of --since, up to which the log has to be read');
  if (shopId !== undefined && !pass.hasShop(shopId))
    throw new Error(`the log has no shop ${shopId}${atMs === undefined ? '' : ' at that time'}`);
}

/**
 * The future is unknown, also where an event lies in it. If nothing runs, so is all time after the
 * newest event.
 */
function computeAsOfMs(
  pass: Pass,
  { atMs, running }: { atMs: number | undefined; running: boolean },
): number {
  if (atMs !== undefined) return Math.min(atMs, Date.now());
  return running ? Date.now() : Math.min(pass.counts().newestMs, Date.now());
}

function countFigures(
  pass: Pass,
  { shopId, recordedAudits }: { shopId: string | undefined; recordedAudits: number },
) {
  const signedFrom = pass.signedFrom();
  const ledgers = [...pass.ledgers()].filter(
    (each) => shopId === undefined || each.shopId === shopId,
  );
  const figures = {
    ...pass.figures(),
    ledgers: ledgers.length,
    money: sumMoneyTotals(ledgers),
    checked: {
      ...pass.checked(),
      ...(recordedAudits > 0 && { recorded_audits: recordedAudits }),
    },
    unverifiedSignatures: pass.unverifiedSignatures(),
    ...(signedFrom !== undefined && { signedFrom }),
  };
  return shopId === undefined ? figures : { shopId, ...figures };
}

type LogReading = {
  log: RawLog;
  pass: Pass;
  until: number;
  check: ReturnType<typeof createSinceCheck> | undefined;
  history: Awaited<ReturnType<typeof createHistory>>;
  options: AuditOptions;
};

/**
 * Reads events from the pass's position up to the given one.
 * @returns whether it stopped earlier because the given time was reached
 */
async function read(
  { log, pass, until, check, history, options }: LogReading,
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
      history.before(event.position);
      if (atMs !== undefined && createdMs(event) > atMs) return true;
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

/** Continues to read while recently due messages are outstanding, within the grace period. */
async function awaitOutstanding(
  reading: LogReading,
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
