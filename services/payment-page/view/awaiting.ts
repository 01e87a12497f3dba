import { payerWords } from '#shared/domain/methods/index.ts';
import { isZero } from '#shared/domain/money.ts';
import {
  badge,
  copyButton,
  formatAmount,
  formatTime,
  html,
  notice,
  type Html,
  type Language,
} from '#shared/platform/pages/index.ts';
import type { ShownShop } from '../shop.ts';
import type { VisibleDestination, VisiblePayment } from '../visible-payment.ts';
import { payTexts } from '../texts.ts';
import { returnLink } from './support.ts';
import { toHeadline } from './headline.ts';
import { live } from './live.ts';
import { qrCode } from './qr.ts';
import { renderReceiptForm, type UploadFault } from './receipt-form.ts';
import { requisites } from './requisites.ts';

export type AwaitingPayment = Extract<VisiblePayment, { state: 'awaiting' }>;

type AwaitingOptions = {
  /** The page's path, which its form is sent to. */
  action: string;
  /** The page's full address, for the QR code. */
  url: string;
  nowMs: number;
  fault?: UploadFault | undefined;
  /** The page refreshes itself: it has a link in place of the form. */
  follow: boolean;
  shop: ShownShop;
};

/**
 * A payment to be made: the amount, the requisites, the deadline, and the receipt if one is
 * required.
 */
export function awaiting(
  language: Language,
  shown: AwaitingPayment,
  options: AwaitingOptions,
): Html {
  const { receipt, overdue } = shown;
  const { action, fault, follow, url, shop } = options;
  const form =
    receipt && renderReceiptForm(language, { action, again: receipt === 'again', fault, follow });
  return overdue
    ? html`${overdueView(language, shown, shop)} ${form}`
    : html`${transfer(language, shown, options.nowMs)} ${form} ${phone(language, url)}`;
}

/** Characters of an amount that fit next to a button on a small phone. */
const longAmount = 13;

function transfer(language: Language, shown: AwaitingPayment, nowMs: number): Html {
  const text = payTexts[language];
  const { toPay, received, expected, currency, destination, receipt } = shown;
  const inPart = !isZero(received);
  const { words, amount = '' } = toHeadline(language, shown);
  return html`<section class="card transfer payable">
    <div class="spread">
      ${badge('info', receipt ? text.awaiting.receiptBadge : text.awaiting.badge, 'clock')}
      ${countdown(language, shown, nowMs)}
    </div>
    <div class="sum">
      <h1>
        <span class="label">${words}</span>
        <span class="${amount.length > longAmount ? 'amount long' : 'amount'}">${amount}</span>
      </h1>
      ${copyButton(language, { text: toPay, label: text.copy.amount })}
    </div>
    ${
      inPart
        ? notice(
            'success',
            text.received(
              formatAmount(language, received, currency),
              formatAmount(language, expected, currency),
            ),
          )
        : html`<p class="muted small exactly">${text.awaiting.exactly}</p>`
    }
    ${
      destination
        ? html`${requisites(language, destination)}
            <hr class="divide" />
            ${steps(language, destination, receipt !== undefined)}`
        : notice('info', text.noRequisites)
    }
    ${live(language, { form: receipt !== undefined })}
  </section>`;
}

function steps(
  language: Language,
  { method, purpose }: VisibleDestination,
  receipt: boolean,
): Html {
  const { title, transfer: send, purpose: write, receipt: upload, wait } = payTexts[language].steps;
  return html`<div>
    <h2 class="steps-title">${title}</h2>
    <ol class="steps">
      <li>${payerWords(method).start[language]}</li>
      <li>${send}</li>
      ${purpose && html`<li>${write}</li>`}
      <li>${receipt ? upload : wait}</li>
    </ol>
  </div>`;
}

/** The time as text; the script replaces it by the time left, by its own clock. */
function countdown(language: Language, { expiresAt }: AwaitingPayment, nowMs: number): Html | '' {
  if (expiresAt === undefined) return '';
  const { payUntil, left, minutesLeft } = payTexts[language];
  return html`<p
    class="countdown"
    data-left-ms="${Math.max(0, Date.parse(expiresAt) - nowMs)}"
    data-left="${left}"
    data-minutes-5="${minutesLeft[5]}"
    data-minutes-1="${minutesLeft[1]}"
  >
    <span data-label>${payUntil}</span>
    <b class="number">${formatTime(language, expiresAt)}</b>
  </p>`;
}

function overdueView(language: Language, shown: AwaitingPayment, shop: ShownShop): Html {
  const { receipt } = shown;
  const { badge: label, text, receipt: upload } = payTexts[language].overdue;
  return html`<section class="card transfer">
    <div>${badge('warning', label, 'clock')}</div>
    <h1>${toHeadline(language, shown).words}</h1>
    <p>${text}</p>
    ${receipt && html`<p>${upload}</p>`} ${live(language, { form: receipt !== undefined })}
    ${!receipt && returnLink(language, shop)}
  </section>`;
}

function phone(language: Language, url: string): Html {
  const { title, text, label } = payTexts[language].qr;
  return html`<aside class="card phone" aria-labelledby="phone-title">
    ${qrCode(url, label)}
    <h2 id="phone-title">${title}</h2>
    <p class="muted small">${text}</p>
  </aside>`;
}
