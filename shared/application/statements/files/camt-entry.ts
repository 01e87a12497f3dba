import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import { createCharges, type Charges } from './camt-charges.ts';
import type { Item } from './item.ts';
import {
  bankAmount,
  cut,
  dayStartUtc,
  findNamedOperation,
  placeIn,
  reversalKind,
} from './values.ts';

/** The text of elements by their path; only those that are used. */
type Fields = Map<string, string>;
type Details = { line: number; fields: Fields; charges?: Charges };

const used = new Set([
  'Amt',
  'CdtDbtInd',
  'RvslInd',
  'Sts',
  'Sts/Cd',
  'BookgDt/Dt',
  'BookgDt/DtTm',
  'ValDt/Dt',
  'ValDt/DtTm',
  'AcctSvcrRef',
  'NtryRef',
  'BkTxCd/Domn/Fmly/SubFmlyCd',
  'AmtDtls/TxAmt/Amt',
  'Refs/AcctSvcrRef',
  'Refs/TxId',
  'Refs/InstrId',
  'Refs/EndToEndId',
  'RmtInf/Ustrd',
  'RtrInf',
]);
/** Of the texts of an entry with its parts, which are in memory together. */
const mostEntryText = 32 * 1024 * 1024;
/** Of one entry: more than a file may have lines. */
const mostDetails = 100_001;
const detailsPath = 'NtryDtls/TxDtls';

export type CamtEntry = ReturnType<typeof createEntry>;

/** A booked entry: one movement, or one for each of its transactions. */
export function createEntry(line: number, entryNumber: number) {
  const own: Details = { line, fields: new Map() };
  const details: Details[] = [];
  let dropped = 0;
  let textLength = 0;
  const target = (path: string): [Details | undefined, string] =>
    path.startsWith(`${detailsPath}/`)
      ? [details.at(-1), path.slice(detailsPath.length + 1)]
      : [own, path];

  return {
    open(path: string, at: number, currency: string): void {
      if (path === detailsPath && details.length === mostDetails) dropped += 1;
      else if (path === detailsPath) details.push({ line: at, fields: new Map() });
      if (dropped > 0) return;
      const [of, name] = target(path);
      if (of && name.startsWith('Chrgs')) (of.charges ??= createCharges()).open(name, currency);
      if (currency !== '' && used.has(name)) of?.fields.set(`${name}@Ccy`, currency);
    },
    close(path: string, text: string): void {
      const [of, name] = target(path);
      if (name.startsWith('Chrgs')) of?.charges?.close(name, text);
      if (!of || !used.has(name) || (dropped > 0 && of !== own)) return;
      const before = name === 'RmtInf/Ustrd' ? (of.fields.get(name) ?? '') : '';
      const after = cut(`${before}${text}`);
      of.fields.set(name, after);
      textLength += after.length - before.length;
    },
    isTooLong: (): boolean => textLength > mostEntryText,
    *items(): Generator<Item> {
      const status = own.fields.get('Sts/Cd') ?? own.fields.get('Sts') ?? '';
      if (status !== '' && status !== 'BOOK') return yield { line, notBooked: true };
      if (dropped > 0)
        yield* repeat(
          toItem(own, details[0], { number: String(entryNumber) }),
          details.length + dropped,
        );
      else if (details.length < 2) yield toItem(own, details[0], { number: String(entryNumber) });
      else yield* batchItems(own, details, entryNumber);
    },
  };
}

/** A batch of so many parts is counted, and not read. */
function* repeat(item: Item, times: number): Generator<Item> {
  for (let count = 0; count < times; count += 1) yield item;
}

/** A batch whose parts are in another currency than it is one movement: that one is booked. */
function* batchItems(
  own: Details,
  details: readonly Details[],
  entryNumber: number,
): Generator<Item> {
  const currency = amountIn(own.fields)?.currency;
  if (details.some(({ fields }) => amountIn(fields)?.currency !== currency))
    return yield toItem(own, undefined, { number: String(entryNumber) });
  const ids = legIds(own, details);
  yield* details.map((each, index) =>
    toItem(own, each, { number: `${entryNumber}.${index + 1}`, ofBatch: ids[index] ?? '' }),
  );
  const difference = batchDifference(own, details);
  if (difference === undefined || difference === 0n) return;
  const number = `${entryNumber}.${details.length + 1}`;
  yield hasCharges(own, details, difference)
    ? chargeItem(own, difference, number)
    : { line: own.line, fault: 'batch_total' };
}

/** By how much a batch is more than its parts; undefined if an amount is none. */
function batchDifference(own: Details, details: readonly Details[]): bigint | undefined {
  const [total, ...parts] = [own, ...details].map(({ fields }) => {
    const amount = bankAmount(amountIn(fields)?.text ?? '');
    const mark = fields.get('CdtDbtInd') ?? own.fields.get('CdtDbtInd');
    return amount === undefined ? undefined : signedMinor(amount, mark);
  });
  let difference = total;
  for (const part of parts) {
    if (difference === undefined || part === undefined) return undefined;
    difference -= part;
  }
  return difference;
}

const signedMinor = (amount: string, mark: string | undefined): bigint =>
  mark === 'DBIT' ? -toMinor(amount) : toMinor(amount);

/** Whether the batch or its parts state charges of this sum. */
function hasCharges(own: Details, details: readonly Details[], sum: bigint): boolean {
  const currency = amountIn(own.fields)?.currency ?? '';
  const ofParts = details.reduce(
    (before, each) => before + (each.charges?.sum(currency) ?? 0n),
    0n,
  );
  return own.charges?.sum(currency) === sum || ofParts === sum;
}

/** The charges by which a batch was booked net. */
function chargeItem(own: Details, sum: bigint, number: string): Item {
  const completedAt = bookingTime(own.fields) ?? '';
  const movement = {
    kind: 'fee',
    direction: sum < 0n ? 'out' : 'in',
    leg_id: placeIn(completedAt, number),
    amount: fromMinor(sum < 0n ? -sum : sum),
    currency: amountIn(own.fields)?.currency ?? '',
    completed_at: completedAt,
  };
  return { line: own.line, movement };
}

const partNames = ['Refs/AcctSvcrRef', 'Refs/TxId', 'Refs/EndToEndId', 'Refs/InstrId'] as const;

/** Each part by the first of its references that no other part and not the batch has. */
function legIds(own: Details, details: readonly Details[]): (string | undefined)[] {
  const times = new Map<string, number>([[own.fields.get('AcctSvcrRef') ?? '', 2]]);
  const references = details.map(({ fields }) => [
    ...new Set(partNames.map((name) => fields.get(name) ?? '')),
  ]);
  for (const each of references.flat()) times.set(each, (times.get(each) ?? 0) + 1);
  return references.map((all) => all.find((each) => isReference(each) && times.get(each) === 1));
}

const isReference = (text: string | undefined): text is string =>
  text !== undefined && text !== '' && text !== 'NOTPROVIDED' && text !== 'NONREF';

/**
 * `details`: of one of several transactions, or of the only one. `ofBatch`: the id of one of
 * several; empty if it has none of its own.
 */
function toItem(
  own: Details,
  details: Details | undefined,
  { number, ofBatch }: { number: string; ofBatch?: string },
): Item {
  const { line } = details ?? own;
  const part = (name: string) => details?.fields.get(name) || undefined;
  const field = (name: string) => part(name) ?? own.fields.get(name);
  const completedAt = bookingTime(own.fields);
  if (completedAt === undefined) return { line: own.line, fault: 'completed_at' };
  const isSeveral = ofBatch !== undefined;
  // Its only transaction may have the direction of what it reverses.
  const mark = isSeveral ? field('CdtDbtInd') : (own.fields.get('CdtDbtInd') ?? part('CdtDbtInd'));
  if (mark !== 'CRDT' && mark !== 'DBIT') return { line, fault: 'direction' };
  const direction = mark === 'CRDT' ? 'in' : 'out';
  // The booked amount: that of its only transaction may be before charges.
  const amount =
    (isSeveral ? undefined : amountIn(own.fields)) ?? (details && amountIn(details.fields));
  const isReversal =
    /^(?:true|1)$/.test(own.fields.get('RvslInd') ?? '') || details?.fields.has('RtrInf') === true;
  const isFee = /^(?:CHRG|FEES|COMM)$/.test(field('BkTxCd/Domn/Fmly/SubFmlyCd') ?? '');
  const kind = isReversal ? reversalKind(direction) : isFee ? 'fee' : 'transfer';
  const references = [
    part('Refs/AcctSvcrRef'),
    part('Refs/TxId'),
    own.fields.get('AcctSvcrRef'),
    part('Refs/EndToEndId'),
    part('Refs/InstrId'),
    own.fields.get('NtryRef'),
  ];
  const legId = isSeveral ? ofBatch : references.find(isReference);
  const texts = {
    purpose: part('RmtInf/Ustrd') ?? '',
    references: ['Refs/EndToEndId', 'Refs/InstrId'].map(part).join('\n'),
  };
  const movement = {
    kind,
    direction,
    leg_id: legId || placeIn(completedAt, number),
    operation_id: findNamedOperation({ kind, direction }, texts),
    amount: bankAmount(amount?.text ?? '') ?? '',
    currency: amount?.currency ?? '',
    completed_at: completedAt,
  };
  return { line, movement };
}

/** Later versions have the amount of a transaction itself, earlier ones its details. */
function amountIn(fields: Fields): { text: string; currency: string } | undefined {
  const name = ['Amt', 'AmtDtls/TxAmt/Amt'].find((each) => fields.has(each));
  if (name === undefined) return undefined;
  return { text: fields.get(name) ?? '', currency: fields.get(`${name}@Ccy`) ?? '' };
}

/** When it was booked, in UTC; a time without an offset is taken as UTC. */
function bookingTime(fields: Fields): string | undefined {
  const text = ['BookgDt/DtTm', 'BookgDt/Dt', 'ValDt/DtTm', 'ValDt/Dt']
    .map((name) => fields.get(name))
    .find((each) => each !== undefined && each !== '');
  const [, day, time, offset] =
    /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+-]\d\d:\d\d)?|(?:Z|[+-]\d\d:\d\d)?)$/.exec(
      text ?? '',
    ) ?? [];
  if (day === undefined) return undefined;
  if (time === undefined) return dayStartUtc(day);
  const at = Date.parse(`${day}${time}${offset ?? 'Z'}`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
