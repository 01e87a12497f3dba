import { newId } from '#shared/platform/ids.ts';
import type { Context } from '../context.ts';
import { createLoadClient } from '#infra/verify/load/http-client.ts';
import { closedLoop } from '#infra/verify/load/loops.ts';
import { writeShop, type BenchShop } from '../processes/shop.ts';
import type { Section } from '../report/section.ts';
import { inRounds, withCpu, type Case } from '../rounds.ts';

const clients = 64;
const spreadName = 'over many shops';

/** Payouts whose reservations all go to one ledger, beside payouts that are spread over many. */
export async function measurePayouts(context: Context): Promise<Section[]> {
  const path = await context.commandPath();
  const gateway = await path.startGateway();
  const shops: BenchShop[] = [];
  const count = context.quick ? 100 : 1_000;
  const makers = Array.from({ length: 16 }, async () => {
    while (shops.length < count) shops.push(await writeShop(path.store));
  });
  await Promise.all(makers);
  const pids = [gateway.pid, path.eventStorePid, path.provider.pid];
  let next = 0;
  const payouts = (name: string, of: readonly BenchShop[]): Case => ({
    name,
    ...(name !== spreadName && { against: [spreadName] }),
    run: async () => {
      const client = createLoadClient(gateway.url, clients);
      const once = async () => {
        next += 1;
        const { status, body } = await client.send({
          method: 'POST',
          path: '/v1/payout',
          headers: { 'x-api-key': of[next % of.length]?.apiKey ?? '' },
          body: JSON.stringify({
            merchant_operation_id: newId(),
            client_id: 'client-1',
            method: 'WT_RUB_C2C',
            amount: '100.00',
            currency: 'RUB',
            number: '2200123456789010',
          }),
        });
        if (status !== 200) throw new Error(`a payout was answered with ${status} ${body}`);
      };
      try {
        return await withCpu(pids, () => closedLoop({ clients, durationMs: context.durationMs }, once));
      } finally {
        await client.close();
      }
    },
  });
  const rows = await inRounds(
    [payouts(spreadName, shops), payouts('one hot shop', shops.slice(0, 1))],
    context,
  );
  const about = `Payouts created: funds reserved in the shop's ledger before the provider is called. "${spreadName}": ${count}.`;
  return [{ name: `Payouts, ${clients} clients`, about, rows, figures: [] }];
}
