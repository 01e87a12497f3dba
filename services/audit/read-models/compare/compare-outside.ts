import type { Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '#shared/platform/event-store/index.ts';
import type { CountMore, Report } from '../../report/findings/findings.ts';
import { createdMs } from '#shared/platform/event-store/reading/raw-event.ts';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { Pass } from '../../log/pass/log-pass.ts';
import type { Limits } from '../rows/limits.ts';
import { createRecordedRows, type RecordedRows } from '../rows/record-rows.ts';
import { createRowIndex, type RowIndex, type RowWatch } from '../rows/row-index.ts';
import { modelNames, type ModelName } from '../rows/tables.ts';
import { makeSpillFolder } from '../../log/spill/temp-folder.ts';
import { compareRows } from './compare-read-models.ts';
import { modelsOfOtherVersion, readColumns } from './live-rows.ts';
import { judgeDeliveries } from './judge-deliveries.ts';
import { judgeMessages, judgeMessagesAhead } from './judge-messages.ts';
import { judgeViews } from './judge-views.ts';
import {
  hasTable,
  inSnapshot,
  readStatuses,
  type ComparePositions,
  type ModelStatuses,
} from './snapshot.ts';

export type OutsideReport = {
  /** The position at which each read model was compared. */
  readModels: Partial<Record<ModelName, { position: number; compared: boolean }>>;
  /** Rows that were checked, by table. */
  rows: Record<string, number>;
  different: number;
  /** What could not be compared, each with the reason. */
  notCompared: string[];
};

type OutsideOptions = {
  db: Kysely<unknown>;
  store: Pick<EventStore, 'read'>;
  log: RawLog;
  pass: Pass;
  rows: RecordedRows;
  index: RowIndex;
  limits: Limits;
  positions: ComparePositions;
  folder: string;
  shopId: string | undefined;
  report: Report;
  countMore: CountMore;
  notes: string[];
  until: number;
  /** How long to wait for a message in flight. */
  messageWaitMs: number;
  /** Continues reading the log up to a position. */
  readOn(upTo: number): Promise<unknown>;
};

/** Compares read models and webhooks with the log, in one snapshot of the database. */
export async function compareOutside(options: OutsideOptions): Promise<OutsideReport> {
  const { db, store, log, pass, limits, report, until, shopId } = options;
  const { newestMs } = pass.counts();
  const notCompared: string[] = [];
  await waitForModels(options);
  const { compared, outside, waitMs } = await inSnapshot(db, async (tx) => {
    const now = await readStatuses(tx);
    const head = await log.head();
    await judgeAhead(now, { head, store, report });
    const caughtUp = comparable(now, options, notCompared);
    const ends = caughtUp.map((name) => now[name]?.position ?? 0);
    for (const [at, name] of caughtUp.entries()) limits.set(name, ends[at] ?? 0);
    await options.readOn(Math.max(until, ...ends));
    pass.spillAll();
    options.rows.finish();
    const columns = await readColumns(tx);
    const others = modelsOfOtherVersion(columns);
    const models = caughtUp.filter((name) => !others.has(name));
    for (const name of caughtUp)
      if (others.has(name))
        notCompared.push(
          `tables of the read model ${name} have other columns: run the audit of their version`,
        );
    await judgeViews(tx, { models, report, notCompared });
    const messagesThere = await hasTable(tx, 'webhooks.message');
    if (messagesThere) {
      const newest = head === 0 ? undefined : await log.at(head);
      const headMs = Math.max(newestMs, newest ? createdMs(newest) : 0);
      await judgeMessagesAhead(tx, { store, report, newestMs: headMs, shopId });
      await judgeDeliveries(tx, {
        report,
        countMore: options.countMore,
        pass,
        newestMs,
        head,
        notes: options.notes,
        shopId,
      });
    }
    const comparison = await compareRows({
      tx,
      expected: options.index,
      columns,
      folder: options.folder,
      models,
      messagesUntilMs: messagesThere ? newestMs : undefined,
      shopId,
      report,
      countMore: options.countMore,
      explain: (watch) => explain(options, watch),
    });
    const readModels = Object.fromEntries(
      modelNames.map((name) => {
        const position = now[name]?.position ?? 0;
        return [name, { position, compared: models.includes(name) }];
      }),
    );
    const { rows, different } = comparison;
    return {
      compared: comparison,
      outside: { readModels, rows, different, notCompared },
      waitMs: messagesThere ? options.messageWaitMs : undefined,
    };
  });
  await judgeMessages(compared.messages, { db, store, report, position: until, waitMs });
  if (compared.moreMessages > 0)
    notCompared.push(`${compared.moreMessages} more messages differ, and were not examined`);
  return outside;
}

/** How long to wait for a read model that makes no progress. */
const modelsWaitMs = 20_000;
const modelsWaitAtMostMs = 120_000;

/**
 * Waits until running read models have passed the audit's position. One that has nothing to read
 * stays where it is.
 */
async function waitForModels({ db, limits, until }: OutsideOptions): Promise<void> {
  const startedAt = performance.now();
  let movedAt = startedAt;
  let lastProgress = '';
  for (;;) {
    const statuses = await readStatuses(db);
    const behind = modelNames.filter((name) => {
      const status = statuses[name];
      return (
        status?.alive === true &&
        !status.stopped &&
        status.position < Math.min(until, limits.taken(name))
      );
    });
    const now = performance.now();
    const progress = behind.map((name) => `${name} ${statuses[name]?.position}`).join();
    if (progress !== lastProgress) movedAt = now;
    lastProgress = progress;
    if (behind.length === 0 || now - movedAt > modelsWaitMs || now - startedAt > modelsWaitAtMostMs)
      return;
    await delay(100);
  }
}

/**
 * Reports read models that are ahead of the log: events were lost, or the log was restored from an
 * older copy.
 */
async function judgeAhead(
  now: ModelStatuses,
  { head, store, report }: { head: number } & Pick<OutsideOptions, 'store' | 'report'>,
): Promise<void> {
  for (const name of modelNames) {
    const { position = 0, last } = now[name] ?? {};
    const flag = (message: string) =>
      report({
        rule: 'read_model.ahead',
        stream: last?.stream ?? `gateway.${name}`,
        ...(last && { revision: last.revision }),
        position,
        message: `the read model ${name} ${message}: the log was lost, or is an older backup or another log`,
      });
    if (position > head) flag(`is at position ${position}, the log ends at ${head}`);
    else if (last) {
      const [event] = await store.read(last.stream, { fromRevision: last.revision, maxCount: 1 });
      if (event?.id !== last.id) flag(`has event ${last.id}, which the log does not have`);
    }
  }
}

/** The read models whose checkpoint matches this log; the others are reported. */
function comparable(
  now: ModelStatuses,
  { limits, report, notes, positions }: OutsideOptions,
  notCompared: string[],
): ModelName[] {
  return modelNames.filter((name) => {
    const status = now[name];
    if (status?.stopped) {
      const { stream, revision, reason } = status.stopped;
      const message = `the read model ${name} has stopped before this event: ${reason}`;
      report({ rule: 'read_model.stopped', stream, revision, message });
    }
    const hasRows = limits.skipped(name) || limits.taken(name) > 0;
    if (!status || (status.position === 0 && hasRows)) {
      if (hasRows) notCompared.push(`the read model ${name} is empty: start the projections`);
      else notes.push(`the read model ${name} does not exist, and the log has no events for it`);
      return false;
    }
    const limit = positions.limits[name];
    const moved = limit !== undefined && status.position !== limit;
    if (moved || status.position < limits.taken(name)) {
      notCompared.push(
        `the read model ${name} was catching up: run the audit again when it has caught up`,
      );
      return false;
    }
    if (limit !== undefined && limits.skipped(name))
      notes.push(
        `the read model ${name} has no running worker: its tables are at position ${limit}`,
      );
    return true;
  });
}

/** Reads the log again, to show in full what differing rows should be. */
async function explain(
  { log, pass, limits, shopId, until }: OutsideOptions,
  watch: RowWatch,
): Promise<void> {
  const spill = makeSpillFolder();
  const index = createRowIndex(spill.path, 'again');
  index.watch(watch);
  const rows = createRecordedRows({
    index,
    limits,
    messagesUpTo: () => until,
    ...(shopId && { shopId }),
  });
  const again = new Pass({ folder: spill.path, report: () => undefined, rows });
  const end = pass.counts().position;
  try {
    for await (const batch of log.read(0)) {
      for (const event of batch) if (event.position <= end) again.take(event);
      if ((batch.at(-1)?.position ?? 0) >= end) break;
    }
    again.spillAll();
    rows.finish();
  } finally {
    again.close();
    index.close();
    spill.remove();
  }
}
