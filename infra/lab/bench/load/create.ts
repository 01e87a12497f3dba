import type { LoadClient } from '#infra/lab/load/http-client.ts';
import { newId } from '#shared/platform/ids.ts';

/** Creates one payment or payout. @throws unless it is accepted */
export async function createAcceptedOperation(
  client: LoadClient,
  apiKey: string,
  type: 'payment' | 'payout' = 'payment',
): Promise<string> {
  const { status, body } = await client.send({
    method: 'POST',
    path: `/v1/${type}`,
    headers: { 'x-api-key': apiKey },
    body: JSON.stringify({
      merchant_operation_id: newId(),
      client_id: 'client-1',
      method: 'WT_RUB_C2C',
      amount: '100.00',
      currency: 'RUB',
      ...(type === 'payout' && { number: '2200123456789010' }),
    }),
  });
  if (status !== 200) throw new Error(`a ${type} was answered with ${status} ${body}`);
  return body;
}
