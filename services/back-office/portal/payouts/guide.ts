import {
  payoutFileColumns,
  requiredColumns,
} from '#shared/application/payout-batches/read-file.ts';
import { common } from '#shared/application/pages/translations.ts';
import {
  bankLabel,
  hasBanks,
  methodNames,
  methods,
  type Method,
} from '#shared/domain/methods/index.ts';
import { html, type Html } from '#shared/platform/pages/index.ts';
import { section, renderTable } from '../../frame/components.ts';
import type { PortalView } from '../env.ts';
import { columnTexts, guideTexts as texts } from './texts.ts';

/** What people have to know to fill in a file: its columns, the methods, the codes of banks. */
export const fileGuide = (view: PortalView): Html =>
  html`${section(
    view.t(texts.columns),
    html`<p class="muted measure">${view.t(texts.order)}</p>
      ${columnsTable(view)}`,
  )}
  ${section(view.t(texts.methods), methodsTable(view))}`;

function columnsTable(view: PortalView): Html {
  const { t } = view;
  const required = (name: (typeof payoutFileColumns)[number]) => {
    if (name === 'bankname') return t(texts.byMethod);
    return t(requiredColumns.some((each) => each === name) ? common.yes : common.no);
  };
  return renderTable(view, {
    caption: t(texts.columns),
    columns: [texts.column, texts.required, texts.content],
    rows: payoutFileColumns.map((name) => [
      html`<code>${name}</code>`,
      required(name),
      t(columnTexts[name]),
    ]),
  });
}

function methodsTable(view: PortalView): Html {
  const { t } = view;
  return renderTable(view, {
    caption: t(texts.methods),
    columns: [common.method, common.currency, texts.number, texts.banks],
    rows: methodNames.map((name) => [
      html`<code>${name}</code>`,
      methods[name].currency,
      t(methods[name].payer.number),
      hasBanks(name) ? bankCodes(view, name) : '—',
    ]),
  });
}

const bankCodes = ({ language }: PortalView, method: Method): Html =>
  html`<ul class="codes">
    ${Object.keys(methods[method].banks).map(
      (code) => html`<li><code>${code}</code> ${bankLabel(language, { code })}</li>`,
    )}
  </ul>`;
