import type { BenchContext } from '../context.ts';
import { withClient } from '#infra/lab/load/http-client.ts';
import { closedLoop } from '#infra/lab/load/loops.ts';
import { createAcceptedOperation } from '../load/create.ts';
import { writeBenchShop, type BenchShop } from '../processes/shop.ts';
import type { BenchSection } from '#infra/lab/report/section.ts';
import { inRounds, withCpu, type Case } from '#infra/lab/report/rounds.ts';

const clients = 64;
const spreadName = 'over many shops';

/** Payouts with all reservations in one ledger, compared with payouts over many ledgers. */
export async function measurePayouts(context: BenchContext): Promise<BenchSection[]> {
  const path = await context.commandPath();
  const gateway = await path.startGateway();
  const shops: BenchShop[] = [];
  const count = context.quick ? 100 : 1_000;
  const makers = Array.from({ length: 16 }, async () => {
    while (shops.length < count) shops.push(await writeBenchShop(path.store));
  });
  await Promise.all(makers);
  const pids = [gateway.pid, path.eventStorePid, path.provider.pid];
  let next = 0;
  const payouts = (name: string, of: readonly BenchShop[]): Case => ({
    name,
    ...(name !== spreadName && { against: [spreadName] }),
    run: () =>
      withClient(gateway.url, clients, (client) => {
        const once = async () => {
          next += 1;
          await createAcceptedOperation(client, of[next % of.length]?.apiKey ?? '', 'payout');
        };
        return withCpu(pids, () => closedLoop({ clients, durationMs: context.durationMs }, once));
      }),
  });
  const rows = await inRounds(
    [payouts(spreadName, shops), payouts('one hot shop', shops.slice(0, 1))],
    context,
  );
  const about = `Payouts created: funds reserved in the shop's ledger before the provider is called. "${spreadName}": ${count}.`;
  return [{ name: `Payouts, ${clients} clients`, about, rows, figures: [] }];
}
