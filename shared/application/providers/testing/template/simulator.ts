import { text } from 'node:stream/consumers';
import { attemptKey } from '#shared/application/providers/connector.ts';
import type {
  Submission,
  Simulator,
} from '#shared/application/providers/testing/conformance/harness.ts';
import { openServer } from '#infra/verify/harness/processes/loopback.ts';

/** The API key of the connector's example. */
const exampleKey = 'template-example-key';

type Order = {
  id: string;
  state: 'open' | 'refused' | 'done' | 'failed';
  reason?: string;
  pay_to?: string;
  paid: { id: string; amount: string; at: string }[];
};

/** An in-memory provider that behaves as documented. If yours has a sandbox, use that instead. */
export async function startTemplateSimulator(): Promise<Simulator> {
  const orders = new Map<string, Order>();
  const refused = '13.13';
  const { url, close } = await openServer((request, response) => {
    const key = decodeURIComponent((request.url ?? '').split('/').at(-1) ?? '');
    const say = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const opens = request.headers.authorization === `Bearer ${exampleKey}`;
    void text(request).then((sent) => {
      if (!opens) return say(401, { opens });
      if (request.url === '/account') return say(200, { opens });
      if (request.method === 'PUT' && !orders.has(key)) {
        const { amount, type } = JSON.parse(sent) as { amount: string; type: string };
        const order: Order = { id: `order-${orders.size + 1}`, state: 'open', paid: [] };
        if (type === 'payment') order.pay_to = '2200000000000004';
        if (amount === refused) Object.assign(order, { state: 'refused', reason: 'unlucky' });
        orders.set(key, order);
      }
      const order = orders.get(key);
      return order ? say(200, order) : say(404, { error: 'no_such_order' });
    });
  });
  const orderOf = ({ operationId, attempt }: Submission) =>
    orders.get(attemptKey(operationId, attempt));
  return {
    url,
    stop: close,
    refused: (submission) => ({
      ...submission,
      request: { ...submission.request, amount: refused },
    }),
    isSubmission: ({ method }) => method === 'PUT',
    orders: async (submission) =>
      ['open', 'done'].includes(orderOf(submission)?.state ?? '') ? 1 : 0,
    pay: async (submission, amount) => {
      const order = orderOf(submission);
      const at = new Date().toISOString();
      order?.paid.push({
        id: String(order.paid.length + 1),
        amount: amount ?? submission.request.amount,
        at,
      });
      if (order && amount === undefined) order.state = 'done';
    },
    parts: ['payment', 'payout'],
    decline: async (submission) =>
      void Object.assign(orderOf(submission) ?? {}, { state: 'failed' }),
    declines: ['payment', 'payout'],
  };
}
