import { z } from 'zod';
import { queryOf } from '../../frame/query.ts';
import { merchantStatementCsv } from '#projections/csv/merchant-statement.ts';
import { statementJson } from '#projections/ledger/statement.ts';
import { hiddenField, input } from '../../frame/components.ts';
import { dayEnd, dayIn, dayStart, zoneOf } from '#shared/application/pages/zone.ts';
import { currencies } from '#shared/domain/methods/index.ts';
import { answerCsv } from '#shared/platform/csv/answer.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import {
  readerOf,
  shopIdOf,
  type Portal,
  type View,
  type PortalApp,
  type PortalContext,
} from '../env.ts';
import { balanceTexts as texts } from './texts.ts';

const schema = z.object({
  currency: z.enum(currencies),
  from: z.iso.date(),
  to: z.iso.date(),
});

/** Asks for the days of a statement; initially the current month. */
export function statementForm(c: PortalContext, { t }: View, currency: string): Html {
  const today = dayIn(Date.now(), zoneOf(c));
  const field = (name: string, label: string, value: string) =>
    input({ name, label, value, type: 'date' });
  return html`<details>
    <summary>${t(texts.statement)}</summary>
    <p class="hint">${t(texts.statementHint)}</p>
    <form class="filters" method="get" action="/statement.json">
      ${hiddenField('currency', currency)}
      ${field('from', t(texts.firstDay), `${today.slice(0, 8)}01`)}
      ${field('to', t(texts.lastDay), today)}
      <div class="row">
        <button class="button" type="submit">${t(texts.download)}</button>
        <button class="button quiet" type="submit" formaction="/statement.csv">
          ${t(texts.downloadCsv)}
        </button>
      </div>
    </form>
  </details>`;
}

/** A checkpoint covers entries that are this old. */
const signedWithinMs = 20_000;
const isNotReady = (error: unknown) => error instanceof Problem && error.code === 'not_ready';

/** The statement of whole days, up to now, as the merchant API has it (R25.1). */
export function registerStatement(app: PortalApp, portal: Portal): void {
  const { statements, exports, accessLog } = portal;
  const holderOf = (c: PortalContext) => c.get('session').shop.merchantId;
  const read = async (c: PortalContext) => {
    const data = queryOf(c, schema);
    if (data.from > data.to) throw new Problem('not_found');
    const { currency } = data;
    const zone = zoneOf(c);
    const from = dayStart(data.from, zone);
    const to = new Date(Math.min(dayEnd(data.to, zone).getTime(), await statements.asOf()));
    if (from > to) throw new Problem('not_found');
    const plan = await statements
      .plan({ shopId: shopIdOf(c), currency, from, to })
      .catch((error) => {
        // A busy shop's newest entries are never covered: it gets all but those.
        const earlier = new Date(to.getTime() - signedWithinMs);
        if (earlier <= from || !isNotReady(error)) throw error;
        return statements.plan({ shopId: shopIdOf(c), currency, from, to: earlier });
      });
    return { plan, zone, name: `statement-${currency}-${data.from}-${data.to}` };
  };
  const exported = (c: PortalContext) => accessLog.exported(readerOf(c), { list: 'statement' });

  app.get('/statement.json', async (c) => {
    const { plan, name } = await read(c);
    const headers = {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${name}.json"`,
      'cache-control': 'no-store',
    };
    if (c.req.method === 'HEAD') return c.body(null, 200, headers);
    const file = await exports.startText(() => statementJson(exports.db, plan), {
      holder: holderOf(c),
    });
    exported(c);
    return c.body(file, 200, headers);
  });

  app.get('/statement.csv', async (c) => {
    const { plan, zone, name } = await read(c);
    return answerCsv(c, exports, {
      list: name,
      query: merchantStatementCsv(plan),
      zone,
      forPeople: true,
      holder: holderOf(c),
      exported: () => exported(c),
    });
  });
}
