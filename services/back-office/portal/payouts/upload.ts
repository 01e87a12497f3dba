import { common } from '#shared/application/pages/translations.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { heading, timesIn } from '../../frame/components.ts';
import { refusalOf } from '../../frame/refusals.ts';
import { fileColumns, mostFileBytes } from '#shared/application/payout-batches/read-file.ts';
import { needsSecondMember } from '#shared/domain/shop/state.ts';
import { clientAddress, subscriberOf } from '#shared/platform/http/client-address.ts';
import { createIncomingBodies } from '#shared/platform/http/incoming-bodies.ts';
import { readMultipart } from '#shared/platform/http/multipart.ts';
import { Problem, problems } from '#shared/platform/http/problems.ts';
import { createSlots } from '#shared/platform/http/slots.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { checkFormToken } from '#shared/platform/sessions/form.ts';
import {
  originOf,
  shopIdOf,
  viewOf,
  type Portal,
  type View,
  type PortalApp,
  type PortalContext,
} from '../env.ts';
import { show } from '../frame.ts';
import { formToken } from '../../frame/pages.ts';
import { requireSessionStill } from '../session/require.ts';
import { explainFile } from './faults.ts';
import { newestFiles } from './list.ts';
import { payoutTexts as texts } from './texts.ts';

/** A person uploads one file at a time. */
const files = { total: 6, perOwner: { sender: 1, shop: 2, address: 3 } };
const rules = { fields: ['form_token'], file: 'file', maxFileBytes: mostFileBytes };

/** A file of payouts is uploaded and checked (R24.5). */
export function registerUpload(app: PortalApp, portal: Portal): void {
  const slots = createSlots(files);
  const incoming = createIncomingBodies({ capacity: files, withinMs: 30_000 });

  const check = async (c: PortalContext): Promise<string> => {
    const { member, shop } = c.get('session');
    const address = subscriberOf(clientAddress(c, portal));
    const sentBy = { sender: member.memberId, shop: shop.shopId, address };
    return slots.run(sentBy, 1, async () => {
      const read = (note: (count: number) => void) => readMultipart(c, rules, note);
      const { fields, file } = await incoming.read(c, () => sentBy, read);
      await requireSessionStill(c, portal);
      checkFormToken(c.get('session'), { form_token: fields.get('form_token') ?? '' });
      const { checked } = await portal.payoutFiles.check({
        shop: await readShop(portal.store, shopIdOf(c)),
        content: file ?? new Uint8Array(),
        origin: originOf(c),
      });
      return checked.batch_id;
    });
  };

  app.get('/payouts', async (c) => show(c, portal, await content(c, portal)));
  app.post('/payouts', async (c) => {
    try {
      return c.redirect(`/payouts/${await check(c)}`, 303);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const { status } = problems[error.code];
      if (status !== 400 && status !== 413) throw error;
      const view = viewOf(c);
      const fault = explainFile(view, error) ?? view.t(refusalOf(error.code));
      return show(c, portal, { ...(await content(c, portal, fault)), status: 400 });
    }
  });
}

async function content(c: PortalContext, portal: Portal, fault?: string) {
  const view = viewOf(c);
  const { t } = view;
  const shop = await readShop(portal.store, shopIdOf(c));
  const wrong =
    fault === undefined
      ? ''
      : notice('danger', html`<p><strong>${t(texts.notRead)}</strong>: ${fault}</p>`, {
          urgent: true,
        });
  const body = html`${heading(t(texts.title), '', timesIn(view))}${wrong}
    <p class="muted measure">${t(texts.about)}</p>
    <p>
      ${t(texts.columns)}: <code class="plain">${fileColumns.join(',')}</code>. ${t(texts.bounds)}
    </p>
    ${needsSecondMember(shop) && html`<p class="measure">${t(texts.rule)}</p>`}
    ${view.mayAct ? uploadForm(view) : html`<p>${t(texts.onlyAdmins)}</p>`}
    ${await newestFiles(c, portal, shop)}`;
  return { title: t(texts.title), section: 'payouts', body } as const;
}

const uploadForm = (view: View): Html =>
  html`<form class="card stack" method="post" action="/payouts" enctype="multipart/form-data">
    ${formToken(view)}
    <div class="field">
      <label for="file">${view.t(common.file)}</label>
      <input type="file" id="file" name="file" accept=".csv,text/csv" required />
    </div>
    <div class="row">
      <button class="button primary" type="submit">${view.t(texts.check)}</button>
    </div>
  </form>`;
