import { common } from '#shared/application/pages/translations.ts';
import { readShop } from '#shared/application/directory/command-shop.ts';
import { heading, timesIn } from '../../frame/components.ts';
import { refusalWords } from '../../frame/refusals.ts';
import {
  payoutFileColumns,
  payoutFileTypes,
  mostFileBytes,
} from '#shared/application/payout-batches/read-file.ts';
import { needsSecondMember } from '#shared/domain/shop/state.ts';
import { clientAddress, subscriberPrefix } from '#shared/platform/http/client-address.ts';
import { createIncomingBodies } from '#shared/platform/http/incoming-bodies.ts';
import { readMultipart } from '#shared/platform/http/multipart.ts';
import { Problem, problems } from '#shared/platform/http/problems.ts';
import { createSlots } from '#shared/platform/http/slots.ts';
import { html, notice, type Html } from '#shared/platform/pages/index.ts';
import { checkFormToken } from '#shared/platform/sessions/form.ts';
import {
  memberOrigin,
  sessionShopId,
  portalView,
  type Portal,
  type PortalView,
  type PortalContext,
} from '../env.ts';
import { formToken, type PageContent } from '../../frame/pages.ts';
import { recheckMemberSession } from '../session/require.ts';
import { explainFile } from './faults.ts';
import { fileGuide } from './guide.ts';
import { newestFiles } from './list.ts';
import { payoutTexts as texts } from './texts.ts';

/** A person uploads one file at a time. */
const files = { total: 6, perOwner: { sender: 1, shop: 2, address: 3 } };
const rules = { fields: ['form_token'], file: 'file', maxFileBytes: mostFileBytes };

const slots = createSlots(files);
const incoming = createIncomingBodies({ capacity: files, withinMs: 30_000 });

async function checkUpload(c: PortalContext, portal: Portal): Promise<string> {
  const { member, shop } = c.get('session');
  const address = subscriberPrefix(clientAddress(c, portal));
  const sentBy = { sender: member.memberId, shop: shop.shopId, address };
  return slots.run(sentBy, 1, async () => {
    const read = (note: (count: number) => void) => readMultipart(c, rules, note);
    const { fields, file, fileName } = await incoming.read(c, () => sentBy, read);
    await recheckMemberSession(c, portal);
    checkFormToken(c.get('session'), { form_token: fields.get('form_token') ?? '' });
    const { checked, isRepeated } = await portal.payoutFiles.check({
      shop: await readShop(portal.store, sessionShopId(c)),
      content: file ?? new Uint8Array(),
      name: fileName,
      origin: memberOrigin(c),
    });
    if (isRepeated)
      await portal.sessions.storeNotice(c.get('session'), {
        done: portalView(c).t(texts.repeated),
        hadNoEffect: true,
      });
    return checked.batch_id;
  });
}

/** No row: an example that was left in would be paid. */
export function sendTemplate(c: PortalContext): Response {
  // A Russian Excel shows all of a line with commas in one cell.
  const separator = portalView(c).language === 'ru' ? ';' : ',';
  return c.body(`${payoutFileColumns.join(separator)}\r\n`, 200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="payouts.csv"',
  });
}

/** A file of payouts is uploaded and checked (R24.5). */
export async function uploadPayouts(
  c: PortalContext,
  portal: Portal,
): Promise<PageContent | Response> {
  try {
    return c.redirect(`/payouts/${await checkUpload(c, portal)}`, 303);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status } = problems[error.code];
    if (status !== 400 && status !== 413) throw error;
    const view = portalView(c);
    const fault = explainFile(view, error) ?? view.t(refusalWords(error.code));
    return { ...(await payoutsContent(c, portal, fault)), status: 400 };
  }
}

/** The form for a file of payouts, and the newest files. */
export const payoutsPage = (c: PortalContext, portal: Portal): Promise<PageContent> =>
  payoutsContent(c, portal);

async function payoutsContent(
  c: PortalContext,
  portal: Portal,
  fault?: string,
): Promise<PageContent> {
  const view = portalView(c);
  const { t } = view;
  const shop = await readShop(portal.store, sessionShopId(c));
  const wrong =
    fault === undefined
      ? ''
      : notice('danger', html`<p><strong>${t(texts.notRead)}</strong>: ${fault}</p>`, {
          urgent: true,
        });
  const body = html`${heading(t(texts.title), '', timesIn(view))}${wrong}
    <p class="muted measure">${t(texts.about)}</p>
    ${needsSecondMember(shop) && html`<p class="measure">${t(texts.rule)}</p>`}
    ${view.mayAct ? uploadForm(view) : html`<p>${t(texts.onlyAdmins)}</p>`}
    ${await newestFiles(c, portal, shop)}${fileGuide(view)}`;
  return { title: t(texts.title), body };
}

const uploadForm = (view: PortalView): Html =>
  html`<form class="card stack" method="post" action="/payouts" enctype="multipart/form-data">
    ${formToken(view)}
    <div class="field">
      <label for="file">${view.t(common.file)}</label>
      <input
        type="file"
        id="file"
        name="file"
        accept=".csv,.xlsx,${payoutFileTypes.join(',')}"
        aria-describedby="file-bounds"
        required
      />
      <p class="hint muted" id="file-bounds">${view.t(texts.bounds)}</p>
    </div>
    <div class="row">
      <button class="button primary" type="submit">${view.t(texts.check)}</button>
      <a class="button quiet" href="/payouts/template.csv">${view.t(texts.template)}</a>
    </div>
  </form>`;
