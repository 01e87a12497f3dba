import { maxReceiptBytes } from '#shared/providers/connector.ts';
import { receiptPart } from '#shared/receipts/upload.ts';
import { html, notice, pictogram, type Html, type Language } from '#shared/pages/index.ts';
import { texts } from '../texts.ts';

/** What became of an upload that was not taken. */
export type UploadFault = 'required' | 'tooLarge' | 'malformed' | 'notExpected' | 'busy';

/** A plain form: script only looks at the file's size before it is sent. */
export function receiptForm(
  language: Language,
  { action, again, fault }: { action: string; again: boolean; fault?: UploadFault | undefined },
): Html {
  const text = texts[language].receipt;
  return html`<section class="card receipt" aria-labelledby="receipt-title">
    <h2 id="receipt-title">${text.title}</h2>
    ${again && !fault && notice('warning', text.again)} ${fault && uploadFault(language, fault)}
    <form
      class="stack"
      method="post"
      action="${action}"
      enctype="multipart/form-data"
      data-max-bytes="${maxReceiptBytes}"
      data-too-large="${text.tooLarge}"
      data-sending="${text.sending}"
    >
      <div class="field">
        <label for="receipt">${text.label}</label>
        <input
          type="file"
          id="receipt"
          name="${receiptPart}"
          accept="application/pdf,.pdf"
          aria-describedby="receipt-hint"
          required
        />
        <span class="hint" id="receipt-hint">${text.hint}</span>
      </div>
      <button class="button primary whole">${pictogram('upload')}<span data-label>${text.send}</span></button>
    </form>
  </section>`;
}

export const uploadFault = (language: Language, fault: UploadFault): Html =>
  notice('danger', texts[language].receipt[fault], { urgent: true });
