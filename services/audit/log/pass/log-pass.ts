import { NewerEvent } from '#shared/domain/decode.ts';
import { isPermanent } from '#shared/domain/log/retention.ts';
import { createChain, type Chain } from '#shared/application/log/chain.ts';
import { createAuthority } from '../../authority/authority.ts';
import { createPayoutFiles } from '../../authority/payout-files.ts';
import { isCaller, judgeCaller } from '../../authority/callers.ts';
import { createMemberAuthority } from '../../authority/members.ts';
import { createNaming, type Naming } from '../../authority/naming.ts';
import { judgeWriter } from '../../authority/writers.ts';
import { outstandingOf, type Outstanding } from '../entities/entity.ts';
import { createEntityStore } from '../entities/entity-store.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import { createBooks } from '../../money/ledger/books.ts';
import type { LedgerFacts } from '../../money/ledger/facts.ts';
import { createdMsOf, type RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { judgeDestroyedKey } from '../personal/judge-personal.ts';
import { judgeReport } from '../callbacks/judge-report.ts';
import { createReports, type ReportFigures } from '../callbacks/reports.ts';
import type { ReportKeys } from '../callbacks/verify-report.ts';
import type { Rows } from '../../read-models/rows/record-rows.ts';
import { createEventIds, type EventIds } from '../spill/event-ids.ts';
import { createStatements } from '../../money/statements/statements.ts';
import { createTrees } from '../../money/trees/trees.ts';
import { createAnswers } from './answers.ts';
import type { Context } from './context.ts';
import { createDayLimits } from './day-limits.ts';
import { createJudges, type Judge, type Judges } from './checks-by-stream.ts';
import { createCheckCounts, type CheckCounts } from './counts.ts';
import { createMetadataReader } from './metadata.ts';
import { createOperationNotes } from './operation-notes.ts';
import { isUnderCurrentRules, shopOf } from './shop-of.ts';
import { createShops } from './shops.ts';
import { createSwitches } from './switches.ts';
import { isDestroyedKey, truncationBy } from './truncation.ts';

type PassOptions = {
  /** The folder for what does not fit in memory. */
  folder: string;
  report: Report;
  /** By default only the log is audited. */
  rows?: Rows | undefined;
  /** How many operations to keep in memory, see `EntityStore`. */
  inMemory?: number | undefined;
  /** The shop whose events are also counted separately. */
  shopId?: string | undefined;
  /** The keys that verify callbacks; undefined: they are only counted. */
  reportKeys?: ReportKeys | undefined;
};

/** One pass over the log, event by event. */
export class Pass {
  readonly chain: Chain = createChain();
  readonly #shopId: string | undefined;
  readonly #context: Context;
  readonly #ids: EventIds;
  readonly #books = createBooks();
  readonly #naming: Naming;
  readonly #members = createMemberAuthority();
  readonly #metadataOf = createMetadataReader();
  readonly #checked = createCheckCounts();
  readonly #counts = { events: 0, position: 0, newestMs: 0 };
  readonly #judges: Judges = createJudges(this.#books);
  #endedAt: RawEvent | undefined;

  constructor({ folder, report, rows = {}, inMemory, shopId, reportKeys }: PassOptions) {
    const entities = createEntityStore({
      folder,
      inMemory,
      onSpill: rows.spill,
    });
    this.#shopId = shopId;
    this.#context = {
      entities,
      rows,
      report,
      shops: createShops(),
      authority: createAuthority(),
      operationNotes: createOperationNotes(shopId),
      switches: createSwitches(),
      reports: createReports(reportKeys, shopId),
      providerStatements: createStatements(folder),
      trees: createTrees(),
      dayLimits: createDayLimits(shopId),
      answers: createAnswers(shopId),
      payoutFiles: createPayoutFiles(),
    };
    this.#ids = createEventIds(folder);
    this.#naming = createNaming(shopId);
  }

  take(event: RawEvent): void {
    this.#count(event);
    if (isPermanent(event.stream)) this.chain.add(event);
    if (isDestroyedKey(event)) {
      this.#checked.add('keys');
      return judgeDestroyedKey(this.#context, { event });
    }
    if (!event.stream.startsWith('$') && event.type !== '$streamDeleted') return this.#judge(event);
    createFlag(this.#context, { event })('log.truncated', truncationBy(event));
  }

  #count(event: RawEvent): void {
    const counts = this.#counts;
    if (event.position <= counts.position && counts.events > 0) {
      const message = `position ${event.position} comes after ${counts.position}`;
      createFlag(this.#context, { event })('log.position_order', message);
    }
    counts.events += 1;
    counts.position = event.position;
    counts.newestMs = createdMsOf(event);
    this.#ids.add(event.id, event.position);
  }

  #judge(event: RawEvent): void {
    const { problem, ...metadata } = this.#metadataOf(event.metadata);
    const flag = createFlag(this.#context, { event });
    flag('log.metadata', problem);
    const { stream } = event;
    const hyphen = stream.indexOf('-');
    const judge = this.#judges.get(hyphen < 0 ? stream : stream.slice(0, hyphen));
    if (!judge) return flag('log.undecodable', 'a stream of an unknown kind');
    try {
      const data: unknown = JSON.parse(event.data.toString('utf8'));
      this.#judgeEvent(judge, {
        event,
        atMs: createdMsOf(event),
        type: event.type,
        data,
        ...metadata,
      });
    } catch (error) {
      if (error instanceof NewerEvent) {
        flag('log.newer_version', error.message);
        this.#endedAt = event;
        return;
      }
      const reason = error instanceof Error ? error.message : String(error);
      flag('log.undecodable', `${event.type}: ${oneLine(reason)}`);
    }
  }

  /** @throws if the event cannot be decoded */
  #judgeEvent(judge: Judge, envelope: EventEnvelope): void {
    const context = this.#context;
    context.authority.take(context, envelope);
    judge(context, envelope);
    const shopId = shopOf(envelope, context.entities);
    const about = { shopId, strict: isUnderCurrentRules(envelope, context.entities) };
    judgeWriter(context, envelope, shopId);
    if (isCaller(envelope))
      judgeCaller(context, { envelope, about, naming: this.#naming, members: this.#members });
    context.rows.command?.(envelope);
    if (this.#shopId === undefined || shopId === this.#shopId) this.#checked.take(envelope);
    // Last: it loads the entity of a key.
    judgeReport(context, envelope);
  }

  /** The event of a newer version at which the pass stopped; undefined if it did not. */
  endedAt(): RawEvent | undefined {
    return this.#endedAt;
  }

  counts(): { readonly events: number; readonly position: number; readonly newestMs: number } {
    return this.#counts;
  }

  /**
   * Notes for the report, such as payouts that cost more than agreed, and events from before keys
   * and tokens had ids.
   */
  notes(): string[] {
    const { operationNotes, dayLimits, answers, providerStatements } = this.#context;
    return [
      ...operationNotes.lines(),
      ...dayLimits.notes(),
      ...answers.notes(),
      ...this.#naming.notes(),
      ...providerStatements.notes(this.#shopId),
    ];
  }

  /** How many things of each kind were checked; those of one shop if one was named. */
  checked(): CheckCounts {
    return { ...this.#checked.counts, events: this.#counts.events };
  }

  /**
   * How many events, operations, ledger entries and operations without a terminal status there are:
   * those of one shop if one was named.
   */
  figures() {
    const figures = this.#checked.figures();
    return this.#shopId === undefined ? { ...figures, events: this.#counts.events } : figures;
  }

  /** The results for stored callbacks. */
  reports(): ReportFigures {
    return this.#context.reports.figures();
  }

  /** Due and missing events after the events so far. */
  outstanding(): Outstanding[] {
    const outstanding: Outstanding[] = [];
    for (const entity of this.#context.entities.open()) outstanding.push(...outstandingOf(entity));
    return outstanding;
  }

  /** Duplicate ids, reported after the log is read. */
  duplicates() {
    return this.#ids.duplicates();
  }

  ledgers(): Iterable<LedgerFacts> {
    return this.#books.all();
  }

  hasShop(shopId: string): boolean {
    return this.#context.shops.find(shopId) !== undefined;
  }

  /** Checks what needs the whole log. No event may be applied after it. */
  end(): void {
    this.#context.providerStatements.end({ report: this.#context.report });
  }

  /** Makes the rows that can only be made at the end. */
  spillAll(): void {
    this.#context.entities.spillAll();
  }

  close(): void {
    this.#context.providerStatements.close();
    this.#ids.close();
    this.#context.entities.close();
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 300);
