import { maxReceiptBytes } from '#shared/domain/operation/receipt/upload.ts';
import { receiptPart } from '#shared/application/receipts/receipt-form.ts';
import { html, notice, pictogram, type Html, type Language } from '#shared/platform/pages/index.ts';
import { payTexts } from '../texts.ts';

/** Why an upload was not accepted. */
export type UploadFault = 'required' | 'tooLarge' | 'malformed' | 'notExpected' | 'busy';

type FormOptions = {
  action: string;
  again: boolean;
  fault?: UploadFault | undefined;
  follow: boolean;
};

/** Where a refused file's reason is, which a phone would otherwise show off screen. */
const sectionId = 'receipt-section';

/** A plain form: the script only checks a file before it is sent. */
export function renderReceiptForm(
  language: Language,
  { action, again, fault, follow }: FormOptions,
): Html {
  const text = payTexts[language].receipt;
  return html`<section class="card receipt" id="${sectionId}" aria-labelledby="receipt-title">
    <h2 id="receipt-title">${text.title}</h2>
    ${again && !fault && notice('warning', text.again)} ${fault && uploadFault(language, fault)}
    ${follow ? html`<a class="button primary whole" href="${action}">${text.open}</a>` : form(language, action)}
  </section>`;
}

function form(language: Language, action: string): Html {
  const text = payTexts[language].receipt;
  return html`<form
    class="stack"
    method="post"
    action="${action}#${sectionId}"
    enctype="multipart/form-data"
    data-max-bytes="${maxReceiptBytes}"
    data-too-large="${text.tooLarge}"
    data-empty="${text.required}"
    data-unreadable="${text.unreadable}"
    data-not-pdf="${text.notPdf}"
    data-send-anyway="${text.sendAnyway}"
    data-sending="${text.sending}"
    data-offline="${text.offline}"
  >
    <div class="field">
      <label for="receipt">${text.label}</label>
      <input
        type="file"
        id="receipt"
        name="${receiptPart}"
        accept="application/pdf,.pdf"
        aria-describedby="receipt-hint receipt-says"
        required
      />
      <span class="hint" id="receipt-hint">${text.hint}</span>
      <span class="says" id="receipt-says" role="alert"></span>
    </div>
    <button class="button primary whole">
      ${pictogram('upload')}<span data-label>${text.send}</span>
    </button>
  </form>`;
}

export const uploadFault = (language: Language, fault: UploadFault): Html =>
  notice('danger', payTexts[language].receipt[fault], { urgent: true });
