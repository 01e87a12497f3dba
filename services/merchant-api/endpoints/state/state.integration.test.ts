import { describe, expect, it } from 'vitest';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();

describe('POST /v1/get_operation_state', () => {
  it('returns a payment right after its create, by either identifier (R10.1)', async () => {
    const shop = await gateway.shop();
    const { body: created } = await shop.pay({ merchant_operation_id: 'order-1' });
    const [admission] = await gateway.store.read(`operation-${created.operation_id}`);
    const expected = {
      ...created,
      merchant_operation_id: 'order-1',
      client_id: 'client-1',
      created_at: admission?.created.toISOString(),
      receipt_evidence_status: 'not_ready',
      receipts: [],
    };
    expect(await shop.state({ operation_id: created.operation_id })).toMatchObject({
      status: 200,
      body: expected,
    });
    expect((await shop.state({ merchant_operation_id: 'order-1' })).body).toEqual(expected);
    expect((await shop.state({ operation_id: created.operation_id.toUpperCase() })).body).toEqual(
      expected,
    );
  });

  it('writes the amount of a receipt as a number with exact decimals (R10.7)', async () => {
    const shop = await gateway.shop({ routes: [{ commission: { percent: '0' } }] });
    const { body } = await shop.pay({ amount: '999999999999999.90' });
    const legs = [{ amount: '999999999999999.80' }, { amount: '0.10' }];
    await gateway.provider.act(body.operation_id, 'settle', { result: 'completed', legs });
    const { text, body: state } = await shop.state({ operation_id: body.operation_id });
    expect(state).toMatchObject({ status: 'completed', receipt_evidence_status: 'complete' });
    expect(text).toContain('"amount":999999999999999.80');
    expect(text).toContain('"amount":0.10');
  });
});
