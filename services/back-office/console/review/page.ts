import { sum } from '#shared/domain/money.ts';
import type { Operation } from '#shared/domain/operation/state.ts';
import { viewOperation } from '#shared/domain/operation/view.ts';
import { foldStored, type StoredEvent } from '#shared/platform/event-store/index.ts';
import { operations } from '#shared/application/operations/streams.ts';
import { ReplacedReceiptError } from '#shared/application/receipts/read-uploaded.ts';
import { Problem } from '#shared/platform/http/problems.ts';
import { readReceipt } from '../operations/receipts.ts';
import {
  badge,
  formatAmount,
  html,
  notice,
  pageHeaders,
  type Html,
} from '#shared/platform/pages/index.ts';
import { maskNumber } from '../../api/operations/mask.ts';
import { readOperationEvents } from '#shared/application/operations/read-events.ts';
import { isErased, readOpened } from '../../api/operations/read.ts';
import type { OperatorIdentity } from '../../api/authentication.ts';
import { renderField } from '../../frame/form-fields.ts';
import { formToken } from '../../frame/pages.ts';
import { decisionNames, decisionsFor, receiptField, reviewFields } from '../actions/review.ts';
import {
  at,
  toChoices,
  heading,
  pairs,
  shortId,
  wholeId,
  timesIn,
} from '../../frame/components.ts';
import { consoleView, type Console, type ConsoleView, type ConsoleContext } from '../env.ts';
import type { PageContent } from '../../frame/pages.ts';
import { answerPoll, isPoll, isSame, liveList, hashRows } from '../live.ts';
import { operationBadge, reasonNames } from '../../frame/names.ts';
import { pictureType } from '#shared/application/receipts/picture-type.ts';
import { oneTexts as operationTexts } from '../operations/texts.ts';
import { readShopNames, type ShopNames } from '../shops/choices.ts';
import { bankLabel } from '#shared/domain/methods/index.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import {
  maxWaiting,
  nextWaiting,
  readQueue,
  readDuplicates,
  stillWaiting,
  type Upload,
  type QueueEntry,
} from './queue.ts';

const texts = {
  about: {
    ru: 'Чеки, по которым решение принимает человек. Сначала те, что ждут дольше.',
    en: 'Receipts that need a person’s decision. The longest-waiting come first.',
  },
  queue: { ru: 'Очередь', en: 'Queue' },
  noReason: { ru: 'причина не названа', en: 'no reason given' },
  reason: { ru: 'Причина проверки', en: 'Reason for the check' },
  received: { ru: 'Уже получено', en: 'Received so far' },
  number: { ru: 'Перевод на', en: 'Paid to' },
  recipient: { ru: 'Получатель', en: 'Recipient' },
  purpose: { ru: 'Назначение платежа', en: 'Purpose of the transfer' },
  open: { ru: 'Открыть файл в новой вкладке', en: 'Open the file in a new tab' },
  download: { ru: 'Скачать файл', en: 'Download the file' },
  previous: { ru: 'Предыдущий', en: 'Previous' },
  next: { ru: 'Следующий', en: 'Next' },
  around: { ru: 'Соседние чеки', en: 'Other receipts' },
  select: { ru: 'Выбрать', en: 'Select' },
  several: { ru: 'Решить по выбранным', en: 'Decide on the selected' },
  gone: {
    ru: 'Файла нет в хранилище: его стёрли или не сохранили.',
    en: 'The file is not there: it was erased, or never stored.',
  },
  replaced: {
    ru: 'В хранилище лежит не тот файл, который загрузил плательщик. Восстановите его из копии.',
    en: 'The receipt store has another file than the payer uploaded. Restore it from a copy.',
  },
  notPdf: {
    ru: 'Это не PDF и не картинка: файл можно только скачать. Открывайте его осторожно: кто его прислал, неизвестно.',
    en: 'This is neither a PDF nor an image: you can only download it. Open it with care: it comes from an unknown sender.',
  },
  twins: {
    ru: 'Этот же файл загружен и к другим операциям',
    en: 'The same file was also uploaded to other operations',
  },
  empty: {
    ru: 'Ничего не ждёт решения. Чеки, отмеченные провайдером, и файлы не в PDF появятся здесь сами.',
    en: 'Nothing needs a decision. Receipts flagged by a provider, and files that are not PDFs, appear here automatically.',
  },
  over: {
    ru: 'По этой операции решение больше не нужно.',
    en: 'This operation no longer needs a decision.',
  },
  auditor: {
    ru: 'Решение принимают операторы и администраторы; ваша роль — только чтение.',
    en: 'Operators and admins decide; your role is read-only.',
  },
} as const satisfies Record<string, Words>;

/** The receipt is in a frame of this page; no other page has one. */
const withFrame =
  pageHeaders({ policy: { 'frame-src': "'self'" } })['content-security-policy'] ?? '';

const route = 'POST /admin/v1/operations/:operation_id/review';

export async function reviewQueuePage(
  c: ConsoleContext,
  console: Console,
): Promise<PageContent | Response> {
  const view = consoleView(c);
  const { t } = view;
  const queue = await readQueue(console.db);
  const tag = hashRows(queue);
  if (isPoll(c) && (queue === 'too_long' || isSame(c, tag))) return c.body(null, 204);
  const shops = await readShopNames(console, view);
  const waiting = queue === 'too_long' ? [] : await stillWaiting(console.store, queue);
  const next = await nextWaiting(console.store, waiting, c.req.query('after'));
  const chosen = c.req.query('operation') || next?.operation_id;
  const list = queueList(view, { waiting, chosen, shops });
  if (isPoll(c)) return answerPoll(c, tag, list);
  const top = heading(t(common.manualCheck), '', html`${t(texts.about)} ${timesIn(view)}`);
  const body =
    chosen === undefined
      ? html`${top}${liveList(view, tag, html`<div class="empty">${t(queue === 'too_long' ? common.databaseTooSlow : texts.empty)}</div>`)}`
      : html`${top}
          <div class="review">
            ${queueForm(view, liveList(view, tag, list))}
            <div class="stack">
              ${around(view, waiting, chosen)}${await oneToReview(view, console, { id: chosen, operator: c.get('session').holder })}
            </div>
          </div>`;
  const headers = { 'content-security-policy': withFrame };
  return { title: t(common.manualCheck), body, headers };
}

/** The queue; those who may decide can choose several. */
function queueForm(view: ConsoleView, list: Html): Html {
  const { t } = view;
  const inside = view.may(route)
    ? html`<form class="stack" method="get" action="/review/several">
        ${list}<button class="button small" type="submit">${t(texts.several)}</button>
      </form>`
    : list;
  return html`<nav class="queue" aria-label="${t(texts.queue)}">${inside}</nav>`;
}

type Queue = { waiting: readonly QueueEntry[]; chosen: string | undefined; shops: ShopNames };

function queueList(view: ConsoleView, { waiting, chosen, shops }: Queue): Html {
  const { t, language } = view;
  const box = (each: QueueEntry, amount: string) =>
    html`<input
      type="checkbox"
      name="operation"
      value="${each.operation_id}"
      aria-label="${t(texts.select)} ${amount}, ${each.operation_id}"
      ${each.operation_id === chosen && html` data-key="x"`}
    />`;
  return html`<h2>
      ${t(texts.queue)}
      <span class="muted">${waiting.length}${waiting.length >= maxWaiting && '+'}</span>
    </h2>
    <ul>
      ${waiting.map((each) => {
        const amount = formatAmount(language, each.expected_amount, each.currency);
        return html`<li data-row="${each.operation_id}">
          ${view.may(route) && box(each, amount)}<a
            href="/review?operation=${each.operation_id}"
            ${each.operation_id === chosen && html` aria-current="true"`}
            ><strong>${amount}</strong
            ><span
              >${shops.nameOf(each.shop_id) ?? each.shop_id.slice(0, 8)} ·
              ${shortId(each.operation_id)}</span
            ><span class="muted">${at(view, each.status_since)}</span></a
          >
        </li>`;
      })}
    </ul>`;
}

/** Links to the previous and the next one, also by the keys k and j. */
function around({ t }: ConsoleView, waiting: readonly QueueEntry[], chosen: string): Html | string {
  const here = waiting.findIndex(({ operation_id: id }) => id === chosen);
  const link = (there: QueueEntry | undefined, key: 'j' | 'k', name: string) =>
    there === undefined
      ? ''
      : html`<a
          class="button small"
          href="/review?operation=${there.operation_id}"
          rel="${key === 'j' ? 'next' : 'prev'}"
          data-key="${key}"
          aria-keyshortcuts="${key}"
          >${name} <kbd>${key}</kbd></a
        >`;
  return html`<nav class="row" aria-label="${t(texts.around)}">
    ${link(here > 0 ? waiting[here - 1] : undefined, 'k', t(texts.previous))}
    ${link(waiting[here + 1], 'j', t(texts.next))}
  </nav>`;
}

/**
 * The receipt next to the decision on it. The current state comes from the log, not from the list.
 */
async function oneToReview(
  view: ConsoleView,
  console: Console,
  { id, operator }: { id: string; operator: OperatorIdentity },
): Promise<Html> {
  const { t } = view;
  const state = foldStored(operations, await readOperationEvents(console.store, id));
  if (state.phase !== 'admitted' || state.status !== 'manual_check') {
    return html`<div class="review-one stack">
      ${notice(
        'info',
        html`<p>${t(texts.over)}</p>
          <p>
            ${state.phase === 'admitted' && operationBadge(view, state)}
            ${shortId(id, `/operations/${id}`)}
          </p>`,
      )}
    </div>`;
  }
  const opened = await readOpened(console, id, { operator });
  const receipt = state.receipts.find(({ receiptId }) => receiptId === state.receiptUnderReview);
  const twins = receipt
    ? await readDuplicates(console.db, { sha256: receipt.sha256, operationId: state.operationId })
    : [];
  return html`<div class="review-one">
    <section class="card receipt" aria-label="${t(common.receipt)}">
      <h2>${t(common.receipt)}</h2>
      ${receipt && receiptView(view, state, { ...receipt, shown: await shownAs(console, state, receipt) })}${twinsNotice(view, twins)}
    </section>
    <section class="card decide" aria-label="${t(common.decision)}">
      <h2>${t(common.decision)}</h2>
      ${aboutPayment(view, opened)}${decisionForm(view, state)}
    </section>
  </div>`;
}

type Receipt = Operation['receipts'][number];
type ReceiptDisplay = 'pdf' | 'picture' | 'file' | 'gone' | 'replaced';

/** How the file can be shown. @throws Problem not_ready while the receipt store does not respond */
async function shownAs(
  console: Console,
  operation: Operation,
  receipt: Receipt,
): Promise<ReceiptDisplay> {
  if (receipt.pdf) return 'pdf';
  const content = await readReceipt(console, operation, receipt).catch(replacedOrThrow);
  if (content === 'replaced') return content;
  if (!content) return 'gone';
  return pictureType(content) === undefined ? 'file' : 'picture';
}

/** A file that was replaced must not close the page of the other receipts. */
function replacedOrThrow(error: unknown): 'replaced' {
  if (error instanceof Problem && error.cause instanceof ReplacedReceiptError) return 'replaced';
  throw error;
}

function receiptView(
  { t }: ConsoleView,
  { operationId }: Operation,
  { receiptId, sha256, shown }: Receipt & { shown: ReceiptDisplay },
): Html {
  const href = `/operations/${operationId}/receipts/${receiptId}`;
  if (shown === 'gone' || shown === 'replaced') return notice('warning', t(texts[shown]));
  const opens = shown !== 'file';
  const content = {
    pdf: html`<iframe
      src="${href}#navpanes=0&amp;view=FitH"
      title="${t(common.receipt)}"
    ></iframe>`,
    picture: html`<a href="${href}" target="_blank" rel="noopener"
      ><img src="${href}" alt="${t(common.receipt)}"
    /></a>`,
    file: notice('warning', t(texts.notPdf)),
  }[shown];
  return html`${content}
    <p class="row small">
      <a href="${href}" ${opens && html` target="_blank" rel="noopener"`}
        >${t(opens ? texts.open : texts.download)}</a
      ><span class="muted"
        >SHA-256 <span class="id" title="${sha256}">${sha256.slice(0, 16)}…</span></span
      >
    </p>`;
}

function twinsNotice(view: ConsoleView, twins: readonly Upload[]): Html | string {
  if (twins.length === 0) return '';
  return notice(
    'danger',
    html`<h3>${view.t(texts.twins)}</h3>
      <ul>
        ${twins.map((twin) => html`<li>${shortId(twin.operation_id, `/operations/${twin.operation_id}`)} · ${at(view, twin.uploaded_at)}</li>`)}
      </ul>`,
  );
}

/** The data to compare the file with: the requisites that the payer got, and the request. */
function aboutPayment(view: ConsoleView, events: readonly StoredEvent[]): Html {
  const { t, language } = view;
  const state = foldStored(operations, events);
  const shown = state.phase === 'admitted' ? viewOperation(state) : undefined;
  if (state.phase !== 'admitted' || !shown) throw new Error('a payment under review can be shown');
  const { operationId, request, legs, manualCheckReason } = state;
  const { number, name, bankname: code, bankname_details: details, transfer_purpose } = shown;
  const reason =
    manualCheckReason === undefined ? t(texts.noReason) : t(reasonNames[manualCheckReason]);
  const asCode = (text: string | undefined) => (text ? html`<code>${text}</code>` : undefined);
  const facts = pairs([
    [
      t(common.expected),
      html`<span class="figure-large"
        >${formatAmount(language, request.amount, request.currency)}</span
      >`,
    ],
    [
      t(texts.received),
      formatAmount(language, sum(legs.map(({ amount }) => amount)), request.currency),
    ],
    [t(texts.number), asCode(number && maskNumber(number, request.method))],
    [t(texts.recipient), name || undefined],
    [t(common.bank), bankLabel(language, { code, name: details }) || undefined],
    [t(texts.purpose), asCode(transfer_purpose)],
    [t(common.created), at(view, events[0]?.created)],
    [t(texts.reason), badge('warning', reason)],
    [
      html`<a href="/operations/${operationId}">${t(common.operation)}</a>`,
      wholeId(view, operationId, 'operation_id'),
    ],
  ]);
  return html`${facts}${isErased(state) && badge('neutral', t(operationTexts.erased), 'slash')}`;
}

function decisionForm(
  view: ConsoleView,
  { operationId, manualCheckReason, receiptUnderReview = '' }: Operation,
): Html {
  const { t } = view;
  if (!view.may(route)) return html`<p class="muted">${t(texts.auditor)}</p>`;
  const choices = toChoices(decisionsFor(manualCheckReason), (each) => t(decisionNames[each]));
  return html`<form class="stack" method="post" action="/operations/${operationId}/review">
    ${formToken(view)}
    ${[...reviewFields(choices), receiptField(receiptUnderReview)].map((field) => renderField(view, field, { value: field.value ?? '' }))}
    <div class="row">
      <button class="button primary" type="submit">${t(common.proceed)}</button>
    </div>
  </form>`;
}
