import { fromMinor } from '#shared/domain/ledger/minor.ts';
import { newestVersion } from '#shared/domain/versions.ts';
import { personalKeyId } from '#shared/application/personal-data/keys.ts';
import { testMasters } from '#shared/application/personal-data/testing/personal-data.ts';
import { operationIdFor } from '#shared/application/operations/operation-id.ts';
import { newId } from '#shared/platform/ids.ts';
import type { RawEvent } from '#shared/platform/event-store/reading/raw-event.ts';
import { dayMs } from '#shared/domain/day.ts';
import { usualCaller, type NewLogEvent } from './log.ts';
import { secretOf, setUpShops, testRoute, testShops } from './shops.ts';

/** Operations open at a time. */
const width = 500;
const firstMs = Date.parse('2026-01-31T12:00:00.000Z');
const clientId = 'client-1';
/** A day after the first event: no wait for a provider may be longer. */
const accept_until = new Date(firstMs + dayMs).toISOString();
const completed_at = '2026-01-31T12:01:00.000Z';
const written = new Map<string, Buffer>();
/** Encodes equal metadata once. */
function metadataOf(event: Pick<NewLogEvent, 'type' | 'data'>): Buffer {
  const who = usualCaller(event);
  const version = newestVersion(event.type);
  const name = `${who.actor} ${version}`;
  let bytes = written.get(name);
  if (!bytes) {
    bytes = Buffer.from(
      JSON.stringify({ correlation_id: 'busy', ...who, schema_version: version }),
    );
    written.set(name, bytes);
  }
  return bytes;
}

type Ledger = { balance: bigint; reserved: bigint; revision: number };

/**
 * A valid log of about `total` events, generated in constant memory: completed operations, every
 * fifth a payout, with ledger entries and receipts, interleaved as under load. It does not use the
 * gateway's own decisions.
 */
export function* busyLog(total: number): Generator<RawEvent> {
  let count = 0;
  const ledgers = new Map<string, Ledger>();
  const asEvent = ({ stream, type, data }: NewLogEvent, revision: number): RawEvent => {
    count += 1;
    return {
      position: count * 100,
      stream,
      revision,
      id: newId(),
      type,
      contentType: 'application/json',
      createdTicks: `${firstMs + count}0000`,
      data: Buffer.from(JSON.stringify(data)),
      metadata: metadataOf({ type, data }),
    };
  };
  const setUp: NewLogEvent[] = [];
  setUpShops({ append: (event) => setUp.push(event) }, testShops);
  for (const shopId of testShops) setUp.push(clientKey(shopId));
  for (const events of Map.groupBy(setUp, ({ stream }) => stream).values())
    for (const [revision, event] of events.entries()) yield asEvent(event, revision);
  for (let first = 0; count < total; first += width) {
    const lives = Array.from({ length: width }, (_, index) => life(first + index));
    const revisions = lives.map(() => -1);
    for (let step = 0, going = true; going; step += 1) {
      going = false;
      for (const [index, steps] of lives.entries()) {
        for (const event of steps[step] ?? []) {
          going = true;
          if ('post' in event) {
            const { stream, data, revision } = posted(ledgers, event);
            yield asEvent({ stream, type: 'EntryPosted', data }, revision);
          } else if (event.stream.startsWith('receipts-')) yield asEvent(event, 0);
          else yield asEvent(event, (revisions[index] = (revisions[index] ?? -1) + 1));
        }
      }
    }
  }
}

type Post = { post: Record<string, unknown>; shopId: string; moves: Record<string, bigint> };

function posted(ledgers: Map<string, Ledger>, { post, shopId, moves }: Post) {
  const stream = `ledger-${shopId}-RUB`;
  const ledger = ledgers.get(stream) ?? { balance: 0n, reserved: 0n, revision: -1 };
  ledgers.set(stream, ledger);
  ledger.balance += moves['balance'] ?? 0n;
  ledger.reserved += moves['reserved'] ?? 0n;
  ledger.revision += 1;
  const legs = Object.entries(moves).map(([account, amount]) => ({
    account,
    amount: fromMinor(amount),
  }));
  const after = {
    balance_after: fromMinor(ledger.balance),
    reserved_after: fromMinor(ledger.reserved),
  };
  return {
    stream,
    revision: ledger.revision,
    data: { shop_id: shopId, currency: 'RUB', ...post, legs, ...after },
  };
}

/** A placeholder for data sealed with the key of a shop's clients: it is never decrypted. */
const sealedBy = (shopId: string) => ({
  sealed: `v1.${keyIdOf(shopId)}.${'n'.repeat(16)}.${'c'.repeat(120)}`,
});

const keyIdOf = (shopId: string) => personalKeyId({ shopId, clientId }, 0);

/** A shop's key: it has one client, because the audit does not depend on the number of keys. */
function clientKey(shopId: string): NewLogEvent {
  const keyId = keyIdOf(shopId);
  const { key: _, ...wrapped } = testMasters.create(keyId);
  const data = { shop_id: shopId, key_id: keyId, ...wrapped };
  return { stream: `personal-key-${keyId}`, type: 'PersonalKeyCreated', data };
}

/** The steps of one operation; the events of a step are adjacent. */
function life(number: number): (NewLogEvent | Post)[][] {
  const shopId = testShops[number % testShops.length] ?? '';
  const merchantOperationId = `order-${number}`;
  const id = operationIdFor(secretOf(shopId), merchantOperationId);
  const payout = number % 5 === 4;
  const { admitted, started, accepted, completed, evidence } = eventsOf({
    id,
    shopId,
    merchantOperationId,
    payout,
  });
  const post = (kind: string, cause: string, moves: Record<string, bigint>): Post => ({
    post: { kind, operation_id: id, cause, provider: 'sandbox', ...(payout && { reservation: 1 }) },
    shopId,
    moves,
  });
  if (!payout) {
    const moves = { provider: -10_000n, balance: 9_750n, commission: 250n };
    const credit = post('credit', 'OperationCompleted', moves);
    return [[admitted, started], [accepted], [completed], [credit], [evidence]];
  }
  const of = { stream: `operation-${id}` };
  const requested = { ...of, type: 'ReservationRequested', data: reservation };
  const funded = { ...of, type: 'FundsReserved', data: { reservation: 1, attempt: 1 } };
  const reserve = post('reserve', 'ReservationRequested', { balance: -10_250n, reserved: 10_250n });
  const moves = { reserved: -10_250n, provider: 10_000n, commission: 250n };
  const capture = post('capture', 'OperationCompleted', moves);
  return [
    [admitted, started, requested],
    [reserve],
    [funded],
    [accepted],
    [completed],
    [capture],
    [evidence],
  ];
}

const reservation = { reservation: 1, currency: 'RUB', amount: '102.50' };
const transfer = { method: 'WT_RUB_C2C', currency: 'RUB' };

/** The fields that payments and payouts have in common. */
function eventsOf({
  id,
  shopId,
  merchantOperationId,
  payout,
}: {
  id: string;
  shopId: string;
  merchantOperationId: string;
  payout: boolean;
}) {
  const type = payout ? 'payout' : 'payment';
  const on = (event: string, data: object) => ({ stream: `operation-${id}`, type: event, data });
  const leg = { leg_id: newId(), amount: '100.00', completed_at, file: true };
  const item = {
    attempt: 1,
    provider: 'sandbox',
    ...leg,
    receipt_id: leg.leg_id,
    synthetic: false,
  };
  return {
    admitted: on('OperationAdmitted', {
      operation_id: id,
      shop_id: shopId,
      merchant_id: 'merchant-1',
      type,
      merchant_operation_id: merchantOperationId,
      body_hash: { rest: 'f'.repeat(64) },
      request: { client_id: clientId, amount: '100.00', ...transfer },
      accept_until,
    }),
    started: on('AttemptStarted', { attempt: 1, route: testRoute(type) }),
    accepted: on('AttemptAccepted', {
      attempt: 1,
      provider_reference: newId(),
      ...(!payout && { requisites: sealedBy(shopId) }),
      confirmation_required: false,
    }),
    completed: on('OperationCompleted', {
      actual_amount: '100.00',
      recorded_amount: '100.00',
      settlement_amount: payout ? '102.50' : '97.50',
      commission_amount: '2.50',
      legs: [leg],
    }),
    evidence: {
      stream: `receipts-${id}`,
      type: 'EvidenceMaterialised',
      data: { operation_id: id, shop_id: shopId, status: 'complete', items: [item] },
    },
  };
}
