import { auditStream } from '#shared/domain/audit/events.ts';
import { NewerEvent } from '#shared/domain/decode.ts';
import { logStream } from '#shared/domain/log/events.ts';
import { isPermanent } from '#shared/domain/log/retention.ts';
import { createChain, type Chain } from '#shared/application/log/chain.ts';
import { errorMessage } from '#shared/platform/error-message.ts';
import { createAuthority } from '../../authority/authority.ts';
import { createPayoutFileAuthority } from '../../authority/payout-files.ts';
import { isCaller, judgeCaller } from '../../authority/callers.ts';
import { createMemberAuthority } from '../../authority/members.ts';
import { createNaming, type NamingRule } from '../../authority/naming.ts';
import { judgeSigner } from '../../authority/signers.ts';
import { judgeWriter } from '../../authority/writers.ts';
import { listDueItems, type DueItem } from '../entities/entity.ts';
import { createEntityStore } from '../entities/entity-store.ts';
import { createFlag, type EventEnvelope } from '../../report/findings/report-violation.ts';
import type { Report } from '../../report/findings/findings.ts';
import { createBooks } from '../../money/ledger/books.ts';
import type { LedgerFacts } from '../../money/ledger/facts.ts';
import { createRecentBalances } from '../../money/ledger/recent-balances.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { createFileContent } from '../payout-files/file-content.ts';
import { judgeDestroyedKey } from '../personal/judge-personal.ts';
import { judgeReport } from '../callbacks/judge-report.ts';
import { createReports, type ReportFigures } from '../callbacks/reports.ts';
import type { ReportKeys } from '../callbacks/verify-report.ts';
import type { Rows } from '../../read-models/rows/record-rows.ts';
import type { LogKey } from '#shared/platform/event-store/signature.ts';
import { createSignatures, type Signatures } from '../signatures/signatures.ts';
import {
  createRecordedReceipts,
  type RecordedReceipts,
} from '../../receipt-files/uploaded-receipts.ts';
import { clientKey } from '../personal/own-keys.ts';
import { createEventIds, type EventIds } from '../spill/event-ids.ts';
import { createSecrets, type IssuedSecrets } from '../spill/secrets.ts';
import { createStatementComparison } from '../../money/statements/statements.ts';
import { createAuditTrees } from '../../money/trees/trees.ts';
import { createAnswers } from './answers.ts';
import type { AuditContext } from './context.ts';
import { createDayLimits } from './day-limits.ts';
import { createJudges, type Judge, type Judges } from './checks-by-stream.ts';
import { createCheckCounts, type CheckCounts } from './counts.ts';
import { createMetadataReader } from './metadata.ts';
import { createOperationNotes } from './operation-notes.ts';
import { isUnderCurrentRules, findShopId } from './shop-of.ts';
import { createShops, type Endpoints } from './shops.ts';
import { createStatedFigures } from './stated-figures.ts';
import { whyNotItsTime } from './stated-times.ts';
import { createSkips } from './skips.ts';
import { createStoreAccess } from './store-access.ts';
import { createSwitches } from './switches.ts';
import { createTimeOrder } from './time-order.ts';
import { createTimes } from './times.ts';
import { createVersions } from './versions.ts';
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
  /** The keys that services sign with; undefined: signatures are not verified. */
  logKeys?: readonly LogKey[] | undefined;
};

/** One pass over the log, event by event. */
export class Pass {
  readonly chain: Chain = createChain();
  readonly #shopId: string | undefined;
  readonly #context: AuditContext;
  readonly #ids: EventIds;
  readonly #uploads: RecordedReceipts;
  readonly #secrets: IssuedSecrets;
  readonly #books = createBooks();
  readonly #naming: NamingRule;
  readonly #members = createMemberAuthority();
  readonly #metadataOf = createMetadataReader();
  readonly #times = createTimes();
  readonly #whyWrongTime = createTimeOrder();
  readonly #versions = createVersions();
  readonly #storeAccess = createStoreAccess();
  readonly #statedFigures = createStatedFigures();
  readonly #signatures: Signatures;
  readonly #checked = createCheckCounts();
  readonly #counts = { events: 0, position: 0, newestMs: 0 };
  readonly #judges: Judges = createJudges(this.#books);
  #endedAt: RawEvent | undefined;

  constructor({ folder, report, rows = {}, inMemory, shopId, ...keys }: PassOptions) {
    const { reportKeys, logKeys } = keys;
    const entities = createEntityStore({
      folder,
      inMemory,
      onSpill: rows.spill,
    });
    this.#shopId = shopId;
    const dayLimits = createDayLimits(shopId);
    this.#context = {
      entities,
      rows,
      report,
      shops: createShops(),
      authority: createAuthority(),
      operationNotes: createOperationNotes(shopId),
      switches: createSwitches(),
      reports: createReports(reportKeys, shopId),
      providerStatements: createStatementComparison(folder),
      trees: createAuditTrees(),
      dayLimits,
      skips: createSkips(dayLimits, shopId),
      answers: createAnswers(shopId),
      payoutFiles: createPayoutFileAuthority(),
      fileContent: createFileContent(),
      balances: createRecentBalances(),
    };
    this.#ids = createEventIds(folder);
    this.#uploads = createRecordedReceipts(folder);
    this.#secrets = createSecrets(folder);
    this.#naming = createNaming(shopId);
    this.#signatures = createSignatures(logKeys, report);
  }

  take(event: RawEvent): void {
    this.#take(event);
    this.#statedFigures.add(event, { ...this.#checked.figures(), events: this.#counts.events });
  }

  #take(event: RawEvent): void {
    const { atMs, problem } = this.#times.read(event);
    createFlag(this.#context, { event })('log.time', problem);
    this.#count(event, atMs);
    if (isPermanent(event.stream)) this.chain.add(event);
    if (isDestroyedKey(event)) {
      this.#checked.add('keys');
      return judgeDestroyedKey(this.#context, { event });
    }
    if (!event.stream.startsWith('$') && event.type !== '$streamDeleted')
      return this.#judge(event, atMs);
    createFlag(this.#context, { event })('log.truncated', truncationBy(event));
    this.#storeAccess.take(event);
  }

  #count(event: RawEvent, atMs: number): void {
    const counts = this.#counts;
    if (event.position <= counts.position && counts.events > 0) {
      const message = `position ${event.position} comes after ${counts.position}`;
      createFlag(this.#context, { event })('log.position_order', message);
    }
    counts.events += 1;
    counts.position = event.position;
    counts.newestMs = atMs;
    this.#ids.add(event.id, event.position);
  }

  #judge(event: RawEvent, atMs: number): void {
    const flag = createFlag(this.#context, { event });
    flag('log.time_order', this.#whyWrongTime({ position: event.position, atMs }));
    const signed = this.#signatures.take(event, { atMs, flag });
    const { problem, ...metadata } = this.#metadataOf(event.metadata, signed.metadata);
    flag('log.metadata', problem);
    const { id, stream, revision, type } = event;
    flag('log.older_version', this.#versions.whyOutdated({ type, atMs, ...metadata }));
    const { causationId } = metadata;
    // A shop's endpoint is switched off because of a message, which may be no event's.
    if (causationId !== undefined && !stream.startsWith('shop-'))
      this.#ids.addCause(causationId, event.position);
    const hyphen = stream.indexOf('-');
    const judge = this.#judges.get(hyphen < 0 ? stream : stream.slice(0, hyphen));
    if (!judge) return flag('log.undecodable', 'a stream of an unknown kind');
    try {
      const data: unknown = JSON.parse(event.data.toString('utf8'));
      this.#judgeEvent(judge, {
        event,
        atMs,
        id,
        stream,
        revision,
        type,
        data,
        position: BigInt(event.position),
        created: new Date(atMs),
        ...metadata,
        ...(signed.service !== undefined && { signer: signed.service }),
      });
    } catch (error) {
      if (error instanceof NewerEvent) {
        flag('log.newer_version', error.message);
        this.#endedAt = event;
        return;
      }
      const reason = errorMessage(error);
      flag('log.undecodable', `${event.type}: ${oneLine(reason)}`);
    }
  }

  /** @throws if the event cannot be decoded */
  #judgeEvent(judge: Judge, envelope: EventEnvelope): void {
    const context = this.#context;
    context.authority.take(context, envelope);
    judge(context, envelope);
    this.#secrets.take(envelope, envelope.event.position);
    const shopId = findShopId(envelope, context.entities);
    const flag = createFlag(context, envelope, shopId);
    flag('log.stated_time', whyNotItsTime(envelope));
    if (envelope.event.stream === logStream) this.#statedFigures.move({ envelope, flag });
    // What was counted here is of one shop.
    if (envelope.event.stream === auditStream && this.#shopId === undefined)
      this.#statedFigures.audit({ envelope, flag });
    const about = { shopId, strict: isUnderCurrentRules(envelope, context.entities) };
    judgeWriter(context, envelope, shopId);
    judgeSigner(context, envelope, shopId);
    if (isCaller(envelope))
      judgeCaller(context, { envelope, about, naming: this.#naming, members: this.#members });
    context.rows.command?.(envelope);
    if (this.#shopId === undefined || shopId === this.#shopId) {
      this.#checked.take(envelope);
      this.#uploads.take(envelope, shopId);
    }
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
    const { operationNotes, dayLimits, skips, answers, providerStatements } = this.#context;
    return [
      ...operationNotes.lines(),
      ...dayLimits.notes(),
      ...skips.notes(),
      ...answers.notes(),
      ...this.#naming.notes(),
      ...this.#signatures.notes(),
      ...this.#storeAccess.notes(),
      ...providerStatements.notes(this.#shopId),
    ];
  }

  /** The position of the first event whose signature was verified; undefined if none was. */
  signedFrom(): number | undefined {
    return this.#signatures.from();
  }

  verifiesSignatures(): boolean {
    return this.#signatures.isVerifying;
  }

  /** How many signatures were not verified, because there is no key. */
  unverifiedSignatures(): number {
    return this.#signatures.unverified();
  }

  /** How many things of each kind were checked; those of one shop if one was named. */
  checked(): CheckCounts {
    const signatures = this.#signatures.verified();
    return {
      ...this.#checked.counts,
      events: this.#counts.events,
      ...(signatures > 0 && { signatures }),
    };
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
  outstanding(): DueItem[] {
    const outstanding = this.#context.fileContent.outstanding();
    for (const entity of this.#context.entities.open()) outstanding.push(...listDueItems(entity));
    return outstanding;
  }

  /** Duplicate ids, reported after the log is read. */
  duplicates() {
    return this.#ids.duplicates();
  }

  /** Secrets that were issued before, reported after the log is read. */
  repeatedSecrets() {
    return this.#secrets.duplicates();
  }

  /** Positions of events whose cause is unknown, reported after the log is read. */
  unknownCauses() {
    return this.#ids.unknownCauses();
  }

  /** The receipts that payers uploaded. */
  uploads(): Pick<RecordedReceipts, 'count' | 'all'> {
    return this.#uploads;
  }

  /** Whether the erasure of the operation's client was requested. */
  isErased(operationId: string): boolean {
    const { operation } = this.#context.entities.of(operationId);
    return operation !== undefined && this.#context.reports.erasures.has(clientKey(operation));
  }

  ledgers(): Iterable<LedgerFacts> {
    return this.#books.all();
  }

  /** The webhook endpoints of a shop; undefined for an unknown one. */
  endpoints(shopId: string): Endpoints | undefined {
    return this.#context.shops.find(shopId)?.endpoints;
  }

  hasShop(shopId: string): boolean {
    return this.#context.shops.find(shopId) !== undefined;
  }

  /** Checks what needs the whole log. No event may be applied after it. */
  end(): void {
    this.#context.providerStatements.end({ report: this.#context.report });
    this.#signatures.end();
    this.#statedFigures.end();
  }

  /** Makes the rows that can only be made at the end. */
  spillAll(): void {
    this.#context.entities.spillAll();
  }

  close(): void {
    this.#context.providerStatements.close();
    this.#ids.close();
    this.#uploads.close();
    this.#secrets.close();
    this.#context.entities.close();
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 300);
