import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { readPageQuery } from '../../frame/query.ts';
import { merchantStatementCsv } from '#projections/csv/merchant-statement.ts';
import { statementJson, type StatementPlan } from '#projections/ledger/statement.ts';
import { dayEnd, dayStart, readZone } from '#shared/application/pages/zone.ts';
import { currencies } from '#shared/domain/currencies.ts';
import { answerCsv } from '#shared/platform/csv/answer.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { sessionReader, sessionShopId, type Portal, type PortalContext } from '../env.ts';

const schema = z.object({
  currency: z.enum(currencies),
  from: z.iso.date(),
  to: z.iso.date(),
});

const pollMs = 500;
/** A checkpoint covers the end of a period within seconds; a member need not repeat the request. */
const maxPolls = 60;
const isNotReady = (error: unknown) => error instanceof Problem && error.code === 'not_ready';

async function waitForPlan(
  plan: () => Promise<StatementPlan>,
  signal: AbortSignal,
): Promise<StatementPlan> {
  for (let polls = 1; ; polls += 1) {
    try {
      return await plan();
    } catch (error) {
      if (!isNotReady(error) || polls === maxPolls || signal.aborted) throw error;
    }
    await delay(pollMs);
  }
}

const sessionMerchantId = (c: PortalContext) => c.get('session').shop.merchantId;

/** The statement of whole days, up to now, as the merchant API has it (R25.1). */
async function readRequestedPlan(c: PortalContext, { statements }: Portal) {
  const data = readPageQuery(c, schema);
  if (data.from > data.to) throw new Problem('not_found');
  const { currency } = data;
  const zone = readZone(c);
  const from = dayStart(data.from, zone);
  const to = new Date(Math.min(dayEnd(data.to, zone).getTime(), await statements.asOf()));
  if (from > to) throw new Problem('not_found');
  const request = { shopId: sessionShopId(c), currency, from, to };
  const plan = await waitForPlan(() => statements.plan(request), c.req.raw.signal);
  return { plan, zone, name: `statement-${currency}-${data.from}-${data.to}` };
}

export async function sendStatementJson(c: PortalContext, portal: Portal): Promise<Response> {
  const { exports, accessLog } = portal;
  const { plan, name } = await readRequestedPlan(c, portal);
  const headers = {
    'content-type': 'application/json',
    'content-disposition': `attachment; filename="${name}.json"`,
    'cache-control': 'no-store',
  };
  if (c.req.method === 'HEAD') return c.body(null, 200, headers);
  const file = await exports.startText(() => statementJson(exports.db, plan), {
    holder: sessionMerchantId(c),
  });
  accessLog.exported(sessionReader(c), { list: 'statement' });
  return c.body(file, 200, headers);
}

export async function sendStatementCsv(c: PortalContext, portal: Portal): Promise<Response> {
  const { exports, accessLog } = portal;
  const { plan, zone, name } = await readRequestedPlan(c, portal);
  return answerCsv(c, exports, {
    list: name,
    query: merchantStatementCsv(plan),
    zone,
    forPeople: true,
    holder: sessionMerchantId(c),
    exported: () => accessLog.exported(sessionReader(c), { list: 'statement' }),
  });
}
