import {
  auditStream,
  decodeAuditEvent,
  type AuditRan,
  type MoneyTotals,
} from '#shared/domain/audit/events.ts';
import type { RuleCode } from '#shared/domain/audit/rules.ts';
import { logStream } from '#shared/domain/log/events.ts';
import {
  createdMs,
  millisecondsIn,
  type RawEvent,
} from '#shared/platform/event-store/reading/raw-event.ts';
import type { RawLog } from '#shared/platform/event-store/reading/raw-log.ts';
import { toStoredEvent } from '#shared/platform/event-store/reading/stored-event.ts';
import type { Report } from '../../report/findings/findings.ts';
import { sumMoneyTotals } from '../../money/ledger/money-totals.ts';
import type { Pass } from '../pass/log-pass.ts';
import { isCounted } from '../pass/stated-figures.ts';

/** What an earlier audit read of this log: how many events up to a position, and their hash. */
export type RecordedJournal = {
  position: number;
  events: number;
  hash: string;
  /** Where it is recorded, and the rule that it is evidence for. */
  place: { rule: RuleCode; stream: string; revision?: number };
  /** Since when it found events signed. */
  signedFrom?: number | undefined;
  /** Recorded before a move that nothing but `LogMoved` shows: in another store, it may be. */
  isDoubtful?: boolean;
  /** What the ledgers had, of all shops or of one. */
  money?: { totals: readonly MoneyTotals[]; shopId: string | undefined } | undefined;
};

type RecordedAudits = { journals: RecordedJournal[]; notes: string[] };

/**
 * The runs that the log has records of. Positions before the log was moved here are those of
 * another store.
 */
export async function readRecordedAudits(
  log: Pick<RawLog, 'stream' | 'read'>,
): Promise<RecordedAudits> {
  const [runs, about] = [await log.stream(auditStream), await log.stream(logStream)];
  const moves = about.filter(({ type }) => type === 'LogMoved');
  const move = moves.length > 0 ? await findMoveHere(log, moves) : undefined;
  const moved = move?.position ?? 0;
  const later = moves.filter(({ position }) => position > moved);
  // A log that was moved away and back has what the other store recorded between two moves.
  const [away, back] = [later[0]?.position ?? 0, later.at(-1)?.position ?? 0];
  const isElsewhere = ({ position }: RawEvent) =>
    position <= moved || (position > away && position < back);
  const unproved = later.length === 1 ? later : [];
  const isDoubtful = ({ position }: RawEvent) => unproved.some((each) => position < each.position);
  const journals = runs
    .filter((run) => !isElsewhere(run))
    .flatMap((run) => journalIn(run).map((each) => ({ ...each, isDoubtful: isDoubtful(run) })));
  const older = runs.filter((run) => run.type === 'AuditRan' && isElsewhere(run));
  const notes = [
    ...(older.length > 0
      ? [`${older.length} recorded audits are of the log before it was moved: not compared`]
      : []),
    ...unproved.map(
      ({ position }) =>
        `nothing but LogMoved at position ${position} shows that the log was moved: recorded audits before it are compared, and differences are only counted`,
    ),
  ];
  return { journals, notes };
}

/**
 * The move to this store, which is only one, because it was empty then. It is believed if the
 * store is younger than the first event, or that event names its time in another store.
 */
async function findMoveHere(
  log: Pick<RawLog, 'read'>,
  moves: readonly RawEvent[],
): Promise<RawEvent | undefined> {
  const start = await readStart(log);
  if (!start?.isCopy) return undefined;
  // Those before it were copied from the other store.
  return moves.find((event) => event.storeTicks === undefined && createdMs(event) >= start.storeMs);
}

/** When the store recorded its first event, and whether the gateway's first one is a copy. */
async function readStart(
  log: Pick<RawLog, 'read'>,
): Promise<{ storeMs: number; isCopy: boolean } | undefined> {
  let storeMs: number | undefined;
  for await (const batch of log.read(0))
    for (const event of batch) {
      const { stream, storeTicks } = event;
      const ms = createdMs(event);
      storeMs ??= storeTicks === undefined ? ms : millisecondsIn(storeTicks);
      const isCopy = storeTicks !== undefined || ms < storeMs;
      if (!stream.startsWith('$')) return { storeMs, isCopy };
    }
  return undefined;
}

/** None in a record that can't be read, which the pass reports. */
function journalIn(event: RawEvent): RecordedJournal[] {
  try {
    const { type, data } = decodeAuditEvent(toStoredEvent(event));
    if (type !== 'AuditRan') return [];
    const { stream, revision } = event;
    const place = { rule: 'checkpoint.recorded', stream, revision } as const;
    const signedFrom = readSignedFrom(data);
    const position = Number(data.position);
    return [{ position, ...data.journal, place, signedFrom, money: moneyIn(data) }];
  } catch {
    return [];
  }
}

const moneyIn = (ran: AuditRan): RecordedJournal['money'] =>
  ran.money && isCounted(ran) ? { totals: ran.money, shopId: ran.audited_shop_id } : undefined;

export const readSignedFrom = (
  recorded: { signed_from?: string | undefined } | undefined,
): number | undefined =>
  recorded?.signed_from === undefined ? undefined : Number(recorded.signed_from);

/**
 * Compares the chain with what earlier audits have read: an event that is missing since then, such
 * as the newest one of a stream, leaves no other trace.
 */
export function createRecordedCheck(
  journals: readonly RecordedJournal[],
  pass: Pick<Pass, 'chain' | 'ledgers'>,
  report: Report,
) {
  const waiting = journals.toSorted((left, right) => right.position - left.position);
  let checked = 0;
  let differing = 0;
  const judgeMoney = ({ position, place, money }: RecordedJournal) => {
    if (!money) return;
    const ofShop = [...pass.ledgers()].filter(
      (ledger) => money.shopId === undefined || ledger.shopId === money.shopId,
    );
    const [now, stated] = [sumMoneyTotals(ofShop), money.totals].map(toLine);
    if (now === stated) return;
    const message = `the audit states ${stated}, and the ledgers have ${now} up to position ${position}`;
    report({ ...place, rule: 'log.figures', position, message });
  };
  const judge = (journal: RecordedJournal) => {
    const { position, events, hash, place } = journal;
    if (place.rule === 'checkpoint.recorded') checked += 1;
    const [now, count] = [pass.chain.hash(), pass.chain.events()];
    if (now === hash && count === events) return judgeMoney(journal);
    if (journal.isDoubtful) {
      differing += 1;
      return;
    }
    report({
      ...place,
      position,
      message: `${count} events up to here have the hash ${now}; an earlier audit read ${events} with ${hash}`,
    });
  };
  const judgeUpTo = (position: number) => {
    for (let next = waiting.at(-1); next && next.position < position; next = waiting.at(-1)) {
      waiting.pop();
      judge(next);
    }
  };
  return {
    /** To be called before the event at this position is applied. */
    before: judgeUpTo,
    /** To be called when the log is read to its end. */
    end: () => judgeUpTo(Infinity),
    checked: () => checked,
    notes: () =>
      differing === 0
        ? []
        : [
            `${differing} recorded audits before the move differ from the log: if you did not move it then, events are missing`,
          ],
  };
}

/** `RUB in 10.00 out 0.00 …`, in one order. */
const toLine = (totals: readonly MoneyTotals[]): string =>
  totals
    .map(({ currency, ...sums }) => {
      const named = Object.entries(sums).toSorted(([left], [right]) => (left < right ? -1 : 1));
      return `${currency} ${named.flat().join(' ')}`;
    })
    .toSorted()
    .join(', ') || 'no money';

/** Checks that events are signed since an earlier audit found them signed. */
export function judgeFirstSigned(
  signedBefore: readonly (number | undefined)[],
  pass: Pick<Pass, 'signedFrom' | 'counts' | 'verifiesSignatures'>,
  report: Report,
): void {
  const before = Math.min(...signedBefore.map((position) => position ?? Infinity));
  const now = pass.signedFrom() ?? Infinity;
  if (!pass.verifiesSignatures() || before >= now || pass.counts().position < before) return;
  const found = now === Infinity ? 'none is' : `the first one is at ${now}`;
  report({
    rule: 'log.unsigned',
    stream: auditStream,
    position: before,
    message: `an earlier audit found events signed since position ${before}; now ${found}`,
  });
}
