import { createAuthority } from '../authority/authority.ts';
import { isCaller, judgeCaller } from '../authority/callers.ts';
import { createMemberAuthority } from '../authority/members.ts';
import { judgeWriter } from '../authority/writers.ts';
import { createNaming } from '../authority/naming.ts';
import { createChain, type Chain } from '../chain/chain.ts';
import type { Dossier, Outstanding } from '../dossier/dossier.ts';
import { outstandingOf } from '../dossier/dossier.ts';
import { createDossiers } from '../dossier/dossiers.ts';
import type { Report } from '../findings/findings.ts';
import { createBooks } from '../ledger/books.ts';
import type { LedgerFacts } from '../ledger/facts.ts';
import { judgeAdjustment } from '../ledger/judge-adjustment.ts';
import { createdMsOf, type LogEvent } from '../log/log-event.ts';
import { judgeEvidence } from '../operation/judge-evidence.ts';
import { judgeLate } from '../operation/judge-late.ts';
import { judgeOperation } from '../operation/judge-operation.ts';
import { judgeDestroyedKey, judgePersonal, judgeSealed } from '../personal/judge-personal.ts';
import { judgeReport } from '../reports/judge-report.ts';
import { createReports, type ReportFigures } from '../reports/reports.ts';
import type { ReportKeys } from '../reports/verify-report.ts';
import type { Rows } from '../rows/rows.ts';
import { createStatements } from '../statements/statements.ts';
import { createEventIds } from '../spill/event-ids.ts';
import { NewerEvent } from '#shared/domain/decode.ts';
import { accuse, type Seen } from '../findings/accuse.ts';
import type { Context } from './context.ts';
import { createLookedAt, type LookedAt } from './looked-at.ts';
import { createMetadataReader } from './metadata.ts';
import { createOvercharges } from './overcharges.ts';
import { createSetupStreams } from './setup-streams.ts';
import { createShopFigures, type Figures } from './shop-figures.ts';
import { isOfToday, shopOf } from './shop-of.ts';
import { createShops } from './shops.ts';
import { createSwitches } from './switches.ts';
import { isDestroyedKey, isKept, isPassing, truncationBy } from './truncation.ts';

export type PassOptions = {
  /** For what does not fit in memory. */
  folder: string;
  report: Report;
  rows: Rows;
  /** Operations in memory; see `Dossiers`. */
  inMemory?: number | undefined;
  /** Whose events are counted apart. */
  shopId?: string | undefined;
  /** What providers signed is verified with them; undefined: it is counted. */
  reportKeys?: ReportKeys | undefined;
};

export type Counts = Figures & { position: number; newestMs: number };

/** One reading of the log, event by event in its order. */
export type Pass = {
  take(event: LogEvent): void;
  /** The event of a newer version that it can't go beyond; undefined: there is none. */
  endedAt(): LogEvent | undefined;
  counts(): Readonly<Counts>;
  /** Of the one shop; undefined if none was named. */
  shopFigures(): Readonly<Figures> | undefined;
  /**
   * What the report notes: payouts that cost more than agreed, events of before there were ids of
   * keys and tokens.
   */
  notes(): string[];
  /** How many of what the rules are about were read; of the one shop, where one was named. */
  lookedAt(): LookedAt;
  /** What became of the callbacks that are kept as they were signed. */
  reports(): ReportFigures;
  chain: Chain;
  /** What is owed and not there, as of the events so far. */
  outstanding(): Outstanding[];
  /** Duplicate ids, reported after the log is read. */
  duplicates(): Iterable<{ id: string; position: number; first: number }>;
  ledgers(): Iterable<LedgerFacts>;
  hasShop(shopId: string): boolean;
  /** Judges what only the whole log tells; nothing is taken after it. */
  end(): void;
  /** Makes the rows that can only be made at the end. */
  putAllAside(): void;
  close(): void;
};

type Judge = (context: Context, seen: Seen) => void;
type OfDossier = (context: Context, dossier: Dossier, seen: Seen) => void;

export function createPass({ folder, report, rows, inMemory, shopId, reportKeys }: PassOptions): Pass {
  const dossiers = createDossiers({
    folder,
    ...(inMemory !== undefined && { inMemory }),
    onPutAside: rows.putAside,
  });
  const ids = createEventIds(folder);
  const chain = createChain();
  const books = createBooks();
  const shops = createShops();
  const setup = createSetupStreams();
  const metadataOf = createMetadataReader();
  const authority = createAuthority();
  const overcharges = createOvercharges(shopId);
  const [naming, members] = [createNaming(shopId), createMemberAuthority()];
  const lookedAt = createLookedAt();
  const [reports, switches] = [createReports(reportKeys, shopId), createSwitches()];
  const statements = createStatements(folder);
  const judged = { switches, reports, statements, overcharges };
  const context: Context = { ...judged, dossiers, shops, authority, rows, report };
  const counts: Counts = { events: 0, operations: 0, entries: 0, position: 0, newestMs: 0 };
  const shopFigures = shopId === undefined ? undefined : createShopFigures(shopId, dossiers);
  /** Of streams that have no dossier: ledgers, shops and the like. */
  const revisions = new Map<string, number>();

  const inDossier =
    (stream: 'operation' | 'late' | 'receipts', judge: OfDossier): Judge =>
    (given, seen) => {
      const dossier = dossiers.of(seen.event.stream.slice(stream.length + 1));
      checkRevision(context, seen, dossier.revisions[stream]);
      dossier.revisions[stream] = seen.event.revision;
      if (stream === 'operation' && seen.event.revision === 0) counts.operations += 1;
      judge(given, dossier, seen);
    };
  const ownStream = inDossier('operation', judgeOperation);
  const operation: Judge = (given, seen) => {
    ownStream(given, seen);
    // Last: it loads another dossier, and this one may then be put aside.
    judgeSealed(given, seen);
  };
  const plain =
    (judge: Judge): Judge =>
    (given, seen) => {
      const { stream, revision } = seen.event;
      // The older events of a stream that keeps only its newest are gone.
      const known = revisions.get(stream);
      if (!isPassing(stream) || known !== undefined) checkRevision(context, seen, known);
      revisions.set(stream, revision);
      judge(given, seen);
    };
  /** By what stands before the first hyphen of a stream's name. */
  const judges: ReadonlyMap<string, Judge> = new Map<string, Judge>([
    ['operation', operation],
    [
      'ledger',
      plain((given, seen) => {
        counts.entries += 1;
        books.take(seen, given);
      }),
    ],
    ['receipts', inDossier('receipts', judgeEvidence)],
    ['late', inDossier('late', judgeLate)],
    ['adjustment', plain((given, seen) => judgeAdjustment(given, dossiers.of(seen.event.stream), seen))],
    ['shop', plain((given, seen) => shops.take(seen, given))],
    ['merchant', plain((given, seen) => shops.take(seen, given))],
    ...(['directory', 'operators', 'provider', 'statement', 'audit'] as const).map(
      (name): [string, Judge] => [name, plain(setup[name])],
    ),
    ['api', plain(setup.keyUse)],
    ['members', plain(() => undefined)],
    ['webhook', plain(setup.webhookCommands)],
    ['personal', judgePersonal],
  ]);

  let endedAt: LogEvent | undefined;
  const judge = (event: LogEvent) => {
    const { problem, ...who } = metadataOf(event.metadata);
    if (problem !== undefined) accuse(context, { event }, { rule: 'log.metadata', message: problem });
    const { stream } = event;
    const hyphen = stream.indexOf('-');
    const found = judges.get(hyphen < 0 ? stream : stream.slice(0, hyphen));
    if (!found)
      return accuse(context, { event }, { rule: 'log.undecodable', message: 'a stream of no known kind' });
    try {
      const data: unknown = JSON.parse(event.data.toString('utf8'));
      const seen = { event, atMs: createdMsOf(event), type: event.type, data, ...who };
      authority.take(context, seen);
      found(context, seen);
      const about = { shopId: shopOf(seen, dossiers), strict: isOfToday(seen, dossiers) };
      judgeWriter(context, seen, about.shopId);
      if (isCaller(seen)) judgeCaller(context, { seen, about, naming, members });
      rows.command(seen);
      shopFigures?.take(seen);
      if (shopId === undefined || about.shopId === shopId) lookedAt.take(seen);
      // Last, as it takes up the dossier of a key.
      judgeReport(context, seen);
    } catch (error) {
      if (error instanceof NewerEvent) {
        accuse(context, { event }, { rule: 'log.newer_version', message: error.message });
        return (endedAt = event);
      }
      const reason = error instanceof Error ? error.message : String(error);
      accuse(context, { event }, { rule: 'log.undecodable', message: `${event.type}: ${oneLine(reason)}` });
    }
  };

  return {
    chain,
    take: (event) => {
      if (event.position <= counts.position && counts.events > 0)
        accuse(
          context,
          { event },
          {
            rule: 'log.position_order',
            message: `position ${event.position} comes after ${counts.position}`,
          },
        );
      counts.events += 1;
      counts.position = event.position;
      counts.newestMs = createdMsOf(event);
      ids.add(event.id, event.position);
      if (isKept(event.stream)) chain.add(event);
      if (isDestroyedKey(event)) {
        lookedAt.add('keys');
        return judgeDestroyedKey(context, { event });
      }
      if (!event.stream.startsWith('$') && event.type !== '$streamDeleted') return judge(event);
      const truncation = truncationBy(event);
      if (truncation !== undefined)
        accuse(context, { event }, { rule: 'log.truncated', message: truncation });
    },
    endedAt: () => endedAt,
    lookedAt: () => ({ ...lookedAt.counts, events: counts.events }),
    counts: () => counts,
    end: () => statements.end({ report }),
    notes: () => [...overcharges.tell(), ...naming.tell(), ...statements.notes(shopId)],
    reports: reports.figures,
    shopFigures: () => shopFigures?.figures,
    outstanding: () => {
      const found: Outstanding[] = [];
      for (const dossier of dossiers.open()) found.push(...outstandingOf(dossier));
      return found;
    },
    duplicates: ids.duplicates,
    ledgers: books.all,
    hasShop: (id) => shops.find(id) !== undefined,
    putAllAside: dossiers.putAllAside,
    close: () => {
      statements.close();
      ids.close();
      dossiers.close();
    },
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 300);

function checkRevision(context: Context, seen: Seen, before: number | undefined): void {
  const expected = (before ?? -1) + 1;
  if (seen.event.revision === expected) return;
  accuse(context, seen, {
    rule: 'log.revision_gap',
    message: `revision ${seen.event.revision} stands where ${expected} was to come`,
  });
}
