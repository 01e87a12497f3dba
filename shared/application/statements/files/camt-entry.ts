import { toMinor } from '#shared/domain/ledger/minor.ts';
import type { Item } from './item.ts';
import { bankAmount, operationOf, placeIn, reversalOf, startOf } from './values.ts';

/** The text of elements by their path; only those that are used. */
type Fields = Map<string, string>;
type Details = { line: number; fields: Fields };

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
const mostTextLength = 4_096;
const detailsPath = 'NtryDtls/TxDtls';

export type Entry = ReturnType<typeof createEntry>;

/** A booked entry: one movement, or one for each of its transactions. */
export function createEntry(line: number, entryNumber: number) {
  const own: Details = { line, fields: new Map() };
  const details: Details[] = [];
  const target = (path: string): [Details | undefined, string] =>
    path.startsWith(`${detailsPath}/`)
      ? [details.at(-1), path.slice(detailsPath.length + 1)]
      : [own, path];

  return {
    open(path: string, at: number, currency: string): void {
      if (path === detailsPath) details.push({ line: at, fields: new Map() });
      const [of, name] = target(path);
      if (currency !== '' && used.has(name)) of?.fields.set(`${name}@Ccy`, currency);
    },
    close(path: string, text: string): void {
      const [of, name] = target(path);
      if (!of || !used.has(name)) return;
      const before = name === 'RmtInf/Ustrd' ? (of.fields.get(name) ?? '') : '';
      of.fields.set(name, `${before}${text}`.slice(0, mostTextLength));
    },
    *items(): Generator<Item> {
      const status = own.fields.get('Sts/Cd') ?? own.fields.get('Sts') ?? '';
      // A pending entry may never be booked, and is in a later statement if it is.
      if (status !== '' && status !== 'BOOK') return;
      if (details.length < 2) yield itemOf(own, details[0], String(entryNumber));
      else yield* itemsOf(own, details, entryNumber);
    },
  };
}

function* itemsOf(own: Details, details: readonly Details[], entryNumber: number): Generator<Item> {
  const items = details.map((each, index) => itemOf(own, each, `${entryNumber}.${index + 1}`));
  yield* items;
  const total = bankAmount(own.fields.get('Amt') ?? '');
  const amounts = details.map(({ fields }) => bankAmount(amountIn(fields)?.text ?? ''));
  if (total === undefined || amounts.includes(undefined)) return;
  const sum = amounts.reduce((all, each) => all + toMinor(each ?? '0.00'), 0n);
  if (sum !== toMinor(total)) yield { line: own.line, fault: 'batch_total' };
}

/** `details`: of one of several transactions, or of the only one. */
function itemOf(own: Details, details: Details | undefined, entryNumber: string): Item {
  const { line } = details ?? own;
  const part = (name: string) => details?.fields.get(name) || undefined;
  const field = (name: string) => part(name) ?? own.fields.get(name);
  const completedAt = timeOf(own.fields);
  if (completedAt === undefined) return { line: own.line, fault: 'completed_at' };
  const mark = field('CdtDbtInd');
  if (mark !== 'CRDT' && mark !== 'DBIT') return { line, fault: 'direction' };
  const direction = mark === 'CRDT' ? 'in' : 'out';
  const isSeveral = entryNumber.includes('.');
  // The booked amount: that of its only transaction may be before charges.
  const amount =
    (isSeveral ? undefined : amountIn(own.fields)) ?? (details && amountIn(details.fields));
  const isReversal =
    /^(?:true|1)$/.test(own.fields.get('RvslInd') ?? '') || details?.fields.has('RtrInf') === true;
  const isFee = /^(?:CHRG|FEES|COMM)$/.test(field('BkTxCd/Domn/Fmly/SubFmlyCd') ?? '');
  const kind = isReversal ? reversalOf(direction) : isFee ? 'fee' : 'transfer';
  const references = [
    part('Refs/AcctSvcrRef'),
    part('Refs/TxId'),
    isSeveral ? undefined : own.fields.get('AcctSvcrRef'),
    part('Refs/EndToEndId'),
    part('Refs/InstrId'),
    isSeveral ? undefined : own.fields.get('NtryRef'),
  ];
  const texts = ['Refs/EndToEndId', 'Refs/InstrId', 'RmtInf/Ustrd'].map(part).join('\n');
  const movement = {
    kind,
    direction,
    leg_id:
      references.find((each) => each && each !== 'NOTPROVIDED' && each !== 'NONREF') ??
      placeIn(completedAt, entryNumber),
    operation_id: operationOf({ kind, direction }, texts),
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
function timeOf(fields: Fields): string | undefined {
  const text = ['BookgDt/DtTm', 'BookgDt/Dt', 'ValDt/DtTm', 'ValDt/Dt']
    .map((name) => fields.get(name))
    .find((each) => each !== undefined && each !== '');
  const [, day, time, offset] =
    /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+-]\d\d:\d\d)?|(?:Z|[+-]\d\d:\d\d)?)$/.exec(
      text ?? '',
    ) ?? [];
  if (day === undefined) return undefined;
  if (time === undefined) return startOf(day);
  const at = Date.parse(`${day}${time}${offset ?? 'Z'}`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
