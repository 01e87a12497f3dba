import { sql, type Kysely } from 'kysely';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventStore } from '#shared/event-store/index.ts';
import type { Report } from '../findings/findings.ts';
import type { RawLog } from '../log/read-log.ts';
import { createPass, type Pass } from '../pass/pass.ts';
import { makeStaleRows } from '../rows/stale-rows.ts';
import { modelNames, type Limits } from '../rows/limits.ts';
import { createRecordedRows, type RecordedRows } from '../rows/record-rows.ts';
import { createRowIndex, type RowIndex, type Watch } from '../rows/row-index.ts';
import type { ModelName } from '../rows/tables.ts';
import { makeSpillFolder } from '../spill/temp-folder.ts';
import { compareRows } from './compare-read-models.ts';
import { judgeMessages } from './judge-messages.ts';
import { inSnapshot, readStandings, type Standings } from './snapshot.ts';
import type { ChosenStandings } from './standings.ts';

export type OutsideReport = {
  /** Where each read model was compared. */
  readModels: Partial<Record<ModelName, { position: number; compared: boolean }>>;
  /** Rows that were looked at, by table. */
  rows: Record<string, number>;
  different: number;
};

export type OutsideOptions = {
  db: Kysely<unknown>;
  store: Pick<EventStore, 'read'>;
  log: RawLog;
  pass: Pass;
  rows: RecordedRows;
  index: RowIndex;
  limits: Limits;
  standings: ChosenStandings;
  folder: string;
  shopId: string | undefined;
  report: Report;
  notes: string[];
  until: number;
  /** How long a message that is on its way is waited for. */
  messageWaitMs: number;
  /** Reads the log on to a position. */
  readOn(upTo: number): Promise<unknown>;
};

/** Compares read models and webhooks with the log: all of one moment of the database. */
export async function compareOutside(options: OutsideOptions): Promise<OutsideReport> {
  const { db, store, pass, limits, report, until } = options;
  const { newestMs } = pass.counts();
  await waitForModels(options);
  const { compared, outside } = await inSnapshot(db, async (tx) => {
    const now = await readStandings(tx);
    const models = comparable(now, options);
    const ends = models.map((name) => now[name]?.position ?? 0);
    for (const [at, name] of models.entries()) limits.set(name, ends[at] ?? 0);
    await options.readOn(Math.max(until, ...ends));
    pass.putAllAside();
    await makeStaleRows(options);
    options.rows.finish();
    const { rows: there } = await sql<{ there: boolean }>`
      select to_regclass('webhooks.message') is not null as there`.execute(tx);
    const found = await compareRows({
      tx,
      expected: options.index,
      folder: options.folder,
      models,
      messagesUntilMs: there[0]?.there === true ? newestMs : undefined,
      shopId: options.shopId,
      report,
      explain: (watch) => explain(options, watch),
    });
    const readModels = Object.fromEntries(
      modelNames.map((name) => {
        const position = now[name]?.position ?? 0;
        return [name, { position, compared: models.includes(name) }];
      }),
    );
    return { compared: found, outside: { readModels, rows: found.rows, different: found.different } };
  });
  const { messageWaitMs: waitMs } = options;
  await judgeMessages(compared.messages, { db, store, report, position: until, waitMs });
  return outside;
}

const modelsWaitMs = 20_000;

/** Those that go on have passed the position of the audit a moment later; one that has nothing to read stays where it is. */
async function waitForModels({ db, limits, until }: OutsideOptions): Promise<void> {
  const deadline = performance.now() + modelsWaitMs;
  while (performance.now() < deadline) {
    const standings = await readStandings(db);
    const behind = modelNames.some((name) => {
      const standing = standings[name];
      return (
        standing?.alive === true &&
        !standing.stopped &&
        standing.position < Math.min(until, limits.taken(name))
      );
    });
    if (!behind) return;
    await delay(100);
  }
}

/** The read models whose checkpoint has every event that their rows were made of here; the others are told of. */
function comparable(now: Standings, { limits, report, notes, standings }: OutsideOptions): ModelName[] {
  return modelNames.filter((name) => {
    const standing = now[name];
    if (!standing) {
      notes.push(`the read model ${name} was never made`);
      return false;
    }
    if (standing.stopped) {
      const { stream, revision, reason } = standing.stopped;
      const message = `the read model ${name} has stopped before this event: ${reason}`;
      report({ rule: 'read_model.stopped', stream, revision, message });
    }
    const limit = standings.limits[name];
    const moved = limit !== undefined && standing.position !== limit;
    if (moved || standing.position < limits.taken(name)) {
      notes.push(`the read model ${name} was catching up and was not compared: audit again once it has`);
      return false;
    }
    if (limit !== undefined && limits.skipped(name))
      notes.push(
        `nobody keeps the read model ${name} up to date: it was compared where it stands, at ${limit}`,
      );
    return true;
  });
}

/** Reads the log once more, to tell in full what the rows should be that are not as they should be. */
async function explain(
  { log, pass, limits, shopId, until, store }: OutsideOptions,
  watch: Watch,
): Promise<void> {
  const spill = makeSpillFolder();
  const index = createRowIndex(spill.path, 'again');
  index.watch(watch);
  const rows = createRecordedRows({ index, limits, messagesUpTo: () => until, ...(shopId && { shopId }) });
  const again = createPass({ folder: spill.path, report: () => undefined, rows });
  const end = pass.counts().position;
  try {
    for await (const batch of log.read(0)) {
      for (const event of batch) if (event.position <= end) again.take(event);
      if ((batch.at(-1)?.position ?? 0) >= end) break;
    }
    again.putAllAside();
    await makeStaleRows({ rows, limits, store });
    rows.finish();
  } finally {
    again.close();
    index.close();
    spill.remove();
  }
}
