import { isTerminal, type Operation } from '#shared/domain/operation/state.ts';
import { fromMinor, toMinor } from '#shared/domain/ledger/minor.ts';
import type { Stage } from '../load/act.ts';
import type { Acted } from '../load/acted.ts';
import type { Told } from '../load/history.ts';
import type { Load } from '../load/load.ts';
import type { Find } from './finding.ts';

/** An operation as it is at rest; undefined if its key was never an operation's. */
export type Final = {
  readonly acted: Acted;
  readonly view: Readonly<Record<string, string>> | undefined;
};

/**
 * Reads every operation once more, by both of its names; the answers join those that were told
 * before.
 */
export async function readFinals(
  stage: Stage,
  acted: readonly Acted[],
  find: Find,
): Promise<Final[]> {
  const finals: Final[] = [];
  const left = [...acted];
  const reader = async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop())
      finals.push(await readFinal(stage, one, find));
  };
  await Promise.all(Array.from({ length: 4 }, reader));
  return finals;
}

async function readFinal({ stack, shops, ask }: Stage, acted: Acted, find: Find): Promise<Final> {
  const { story, operationId, told } = acted;
  const url = `${stack.urls.gateway}/v1/get_operation_state`;
  const headers = { 'x-api-key': shops[story.shop]?.apiKey ?? '' };
  const read = (body: object) => ask.forSure({ what: 'read', url, headers, body }, told);
  const byKey = await read({ merchant_operation_id: story.key });
  const byId = operationId === undefined ? byKey : await read({ operation_id: operationId });
  if (byKey?.status !== byId?.status)
    find('an operation is there by one of its names alone', [byKey, byId]);
  if (byKey?.status !== 200) {
    const created = told.find(
      ({ what, status }) => what !== 'cancel' && (status === 200 || status === 422),
    );
    if (created) find('an answered create is not there', [created, byKey]);
    return { acted, view: undefined };
  }
  const { status } = byKey.body as Pick<Operation, 'status'>;
  if (!isTerminal(status) && !story.open) find('an operation never came to its end', told.at(-1));
  return { acted, view: byKey.body };
}

/**
 * What the balances of a shop must be, from what its operations show and what an operator was told.
 */
export function checkBalances(
  {
    shop,
    finals,
    adjusted,
    told,
  }: { shop: number; finals: readonly Final[]; adjusted: Load['adjusted']; told: Told },
  find: Find,
): void {
  const expected = new Map<string, { balance: bigint; reserved: bigint }>();
  const of = (currency: string) => {
    const row = expected.get(currency) ?? { balance: 0n, reserved: 0n };
    expected.set(currency, row);
    return row;
  };
  for (const adjustment of adjusted) {
    if (adjustment.shop === shop) of(adjustment.currency).balance += toMinor(adjustment.amount);
  }
  for (const { acted, view } of finals) {
    if (acted.story.shop !== shop || view === undefined) continue;
    const row = of(view['settlement_currency'] ?? '');
    const settlement = toMinor(view['settlement_amount'] ?? '0.00');
    const over = isTerminal(view['status'] as Operation['status']);
    if (view['type'] === 'payment') row.balance += over ? settlement : 0n;
    else {
      row.balance -= settlement;
      row.reserved += over ? 0n : settlement;
    }
  }
  const rows = (told.body.balances ?? []) as Record<'currency' | 'balance' | 'reserved', string>[];
  for (const { currency, balance, reserved } of rows) {
    const should = of(currency);
    if (toMinor(balance) === should.balance && toMinor(reserved) === should.reserved) continue;
    const shows = {
      shop,
      currency,
      shown: { balance, reserved },
      follows: { balance: fromMinor(should.balance), reserved: fromMinor(should.reserved) },
    };
    find('a balance does not follow from what was told', shows);
  }
  if (rows.length === 0) find('no balances were shown', told);
}

/**
 * What holds for balances at any moment (R12.3), and for the answers that say that there are none
 * now.
 */
export function checkBalanceAnswer(told: Told, find: Find): void {
  if (told.status === 503) return;
  if (told.status !== 200) return find('balances were refused', told);
  for (const row of told.body.balances as Record<
    'balance' | 'reserved' | 'current_minus',
    string
  >[]) {
    const [balance, reserved] = [toMinor(row.balance), toMinor(row.reserved)];
    const minus = -(balance + reserved);
    if (reserved < 0n || toMinor(row.current_minus) !== (minus > 0n ? minus : 0n))
      find('a balance contradicts itself', told);
  }
}
