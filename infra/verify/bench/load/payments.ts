import { newId } from '#shared/platform/ids.ts';
import type { LoadClient } from '#infra/verify/load/http-client.ts';

/** One payment, created. @throws when the answer is not that of a payment that was taken */
export async function createPayment(client: LoadClient, apiKey: string): Promise<string> {
  const { status, body } = await client.send({
    method: 'POST',
    path: '/v1/payment',
    headers: { 'x-api-key': apiKey },
    body: JSON.stringify({
      merchant_operation_id: newId(),
      client_id: 'client-1',
      method: 'WT_RUB_C2C',
      amount: '100.00',
      currency: 'RUB',
    }),
  });
  if (status !== 200) throw new Error(`a payment was answered with ${status} ${body}`);
  return body;
}
