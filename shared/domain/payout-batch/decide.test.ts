import { describe, expect, it } from 'vitest';
import { shopSettings } from '../shop/testing/settings.ts';
import {
  confirmBatch,
  evolveBatch,
  evolveRuns,
  noBatch,
  noRuns,
  recordResults,
  batchStatus,
  type Author,
} from './decide.ts';
import type { PayoutBatchEvent, RowError } from './events.ts';

const of = { batch_id: 'batch', shop_id: 'shop' };
const checked = (errors: RowError[] = []): PayoutBatchEvent => ({
  type: 'PayoutBatchChecked',
  data: { ...of, rows: 2, total: { RUB: '2.00' }, errors },
});
const resultsOf = (codes: (string | undefined)[]) =>
  codes.map((code) => ({
    merchant_operation_id: 'a',
    operation_id: 'o',
    ...(code !== undefined && { code }),
  }));
const created = (...codes: (string | undefined)[]): PayoutBatchEvent => ({
  type: 'PayoutBatchRowsCreated',
  data: { ...of, results: resultsOf(codes) },
});
const confirmed: PayoutBatchEvent = { type: 'PayoutBatchConfirmed', data: of };
const finished: PayoutBatchEvent = { type: 'PayoutBatchFinished', data: of };
const anna = { actor: 'member:anna' };
const boris = { actor: 'member:boris' };
const key = { actor: 'merchant:shop', keyId: 'of-operator' };
/** In a session opened with a link that `other` issued. */
const through = ({ actor }: Author, other: Author): Author => ({
  actor,
  linkIssuers: [other.actor],
});
const stored = (revision: number, { actor, keyId, linkIssuers }: Author = anna) => ({
  revision,
  id: `event-${revision}`,
  metadata: {
    correlation_id: 'request',
    actor,
    ...(keyId !== undefined && { key_id: keyId }),
    ...(linkIssuers && { link_issuers: linkIssuers }),
  },
});
const uploadedBy = (author: Author, ...events: PayoutBatchEvent[]) =>
  events.reduce((state, event, at) => evolveBatch(state, event, stored(at, author)), noBatch);
const batch = (...events: PayoutBatchEvent[]) => uploadedBy(anna, ...events);
const settings = shopSettings();
const issued = { keyHash: '', label: '', hint: '', limits: {}, createdAt: '' };
const oneMember = { by: anna, shop: { settings, apiKeys: [] } };
const needsTwo = {
  settings: { ...settings, payout_batches_need_second_member: true },
  apiKeys: [
    { ...issued, keyId: 'of-operator', issuedBy: ['operator:olga'] },
    { ...issued, keyId: 'of-anna', issuedBy: ['member:anna'] },
  ],
};
const confirm = (uploader: Author, by: Author) =>
  confirmBatch(uploadedBy(uploader, checked()), runs(), { by, shop: needsTwo });
const refused = (because: string) => ({ refusal: { code: 'second_member_required', because } });
const runs = (...events: PayoutBatchEvent[]) =>
  events.reduce((state, event, at) => evolveRuns(state, event, stored(at)), noRuns);

describe('payout batch', () => {
  it('is confirmed once it is checked, and only once (R24.2)', () => {
    expect(confirmBatch(batch(checked()), runs(), oneMember)).toEqual({ events: [confirmed] });
    expect(confirmBatch(batch(checked()), runs(confirmed), oneMember)).toEqual({ events: [] });
    const done = batch(checked(), created(undefined, undefined));
    expect(confirmBatch(done, runs(confirmed, finished), oneMember)).toEqual({ events: [] });
  });

  it('needs a second member to confirm it if the shop requires one (R24.6)', () => {
    expect(confirm(anna, boris)).toEqual({ events: [confirmed] });
    expect(confirm(key, anna)).toEqual({ events: [confirmed] });
    expect(confirm(anna, anna)).toEqual(refused('uploaded_it'));
    expect(confirm(anna, key)).toEqual(refused('no_member'));
    expect(confirm(key, key)).toEqual(refused('no_member'));
  });

  it('is not confirmed if one member may act as both, through a link or a key (R24.6)', () => {
    const olga = { actor: 'operator:olga' };
    const vera = { actor: 'member:vera' };
    const issuedAccess = refused('issued_access');
    expect(confirm(anna, through(boris, anna))).toEqual(issuedAccess);
    expect(confirm(through(boris, anna), anna)).toEqual(issuedAccess);
    expect(confirm(through(boris, anna), through(vera, anna))).toEqual(issuedAccess);
    expect(confirm(through(anna, olga), through(boris, olga))).toEqual({ events: [confirmed] });
    expect(confirm(anna, through(boris, vera))).toEqual({ events: [confirmed] });
    const keyOfAnna = { ...key, keyId: 'of-anna' };
    expect(confirm(keyOfAnna, anna)).toEqual(issuedAccess);
    expect(confirm(keyOfAnna, through(boris, anna))).toEqual(issuedAccess);
    expect(confirm(keyOfAnna, boris)).toEqual({ events: [confirmed] });
  });

  it('stays confirmed if it is confirmed again (R24.6)', () => {
    const again = confirmBatch(batch(checked()), runs(confirmed), { by: key, shop: needsTwo });
    expect(again).toEqual({ events: [] });
  });

  it('is not confirmed if its file has errors or it does not exist (R24.2)', () => {
    const wrong = batch(checked([{ row: 1, pointer: '/amount', code: 'amount_invalid' }]));
    expect(confirmBatch(wrong, runs(), oneMember)).toEqual({
      refusal: { code: 'file_has_errors' },
    });
    expect(confirmBatch(batch(), runs(), oneMember)).toEqual({
      refusal: { code: 'unknown_batch' },
    });
  });

  it('records the results of the next rows once', () => {
    const results = resultsOf([undefined]);
    expect(recordResults(batch(checked()), { from: 0, results })).toEqual({
      events: [created(undefined)],
    });
    const ahead = batch(checked(), created(undefined));
    expect(recordResults(ahead, { from: 0, results })).toEqual({ refusal: { code: 'overtaken' } });
  });

  it('is checked, running, and done once each row has a result', () => {
    expect(batchStatus(batch(checked()), runs())).toEqual({
      status: 'checked',
      created: 0,
      failed: 0,
    });
    expect(batchStatus(batch(checked(), created('no')), runs(confirmed))).toEqual({
      status: 'running',
      created: 0,
      failed: 1,
    });
    const done = batch(checked(), created('no'), created(undefined));
    expect(batchStatus(done, runs(confirmed))).toEqual({ status: 'done', created: 1, failed: 1 });
  });
});
