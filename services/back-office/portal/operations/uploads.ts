import type { UploadedReceiptRow } from '#projections/operations/uploaded-receipts.ts';
import { common, type Words } from '#shared/application/pages/translations.ts';
import { memberPrefix } from '#shared/domain/member/events.ts';
import { badge, html, type Html } from '#shared/platform/pages/index.ts';
import { at, renderTable } from '../../frame/components.ts';
import { reasonNames, type TonedWords } from '../../frame/names.ts';
import type { PortalView } from '../env.ts';

const texts = {
  uploaded: { ru: 'Чеки плательщика', en: 'Receipts of the payer' },
  when: { ru: 'Загружен', en: 'Uploaded' },
  by: { ru: 'Кто загрузил', en: 'Uploaded by' },
  payer: { ru: 'Плательщик', en: 'The payer' },
  api: { ru: 'Магазин, через API', en: 'The shop, with the API' },
  member: { ru: 'Сотрудник', en: 'A member' },
  open: { ru: 'Открыть', en: 'Open' },
} as const satisfies Record<string, Words>;

const stateNames = {
  under_review: { tone: 'info', ru: 'Проверяется', en: 'Under review' },
  manual_check: { tone: 'warning', ru: 'На ручной проверке', en: 'Under manual check' },
  ask_again: { tone: 'neutral', ru: 'Запрошен другой чек', en: 'Another receipt is requested' },
  approve: { tone: 'success', ru: 'Принят', en: 'Accepted' },
  decline: { tone: 'danger', ru: 'Не принят', en: 'Rejected' },
  closed: { tone: 'neutral', ru: 'Проверка окончена', en: 'Review is over' },
} as const satisfies Record<string, TonedWords>;

export const uploadsTitle: Words = texts.uploaded;

/** Receipts that the payer or the merchant uploaded; the files of an erased client are gone. */
export function uploadsTable(
  view: PortalView,
  receipts: readonly UploadedReceiptRow[],
  { erased }: { erased: boolean },
): Html {
  const { t } = view;
  return renderTable(view, {
    caption: t(texts.uploaded),
    columns: [texts.when, texts.by, common.status, common.reason, common.file],
    rows: receipts.map((receipt) => {
      const state = stateNames[receiptState(receipt)];
      return [
        at(view, receipt.uploaded_at),
        uploaderName(view, receipt.uploaded_by),
        badge(state.tone, t(state)),
        flagReason(view, receipt),
        erased ? '—' : fileLink(view, receipt),
      ];
    }),
  });
}

const receiptState = ({ status, decision }: UploadedReceiptRow): keyof typeof stateNames =>
  status === 'closed' && decision !== null ? decision : status;

function uploaderName({ t, session }: PortalView, actor: string): string {
  if (actor.startsWith('payer:')) return t(texts.payer);
  if (!actor.startsWith(memberPrefix)) return t(texts.api);
  const memberId = actor.slice(memberPrefix.length);
  return session?.members.members.get(memberId)?.name ?? t(texts.member);
}

/** Why it was flagged; a flag without a reason counts as the more serious one (R5.9). */
const flagReason = (
  { t }: PortalView,
  { flagged_at: since, flag_reason: reason }: UploadedReceiptRow,
) => (since === null ? '—' : t(reasonNames[reason === 'not_terminal' ? reason : 'potential_fake']));

const fileLink = (
  { t }: PortalView,
  { operation_id: operationId, receipt_id: id, pdf }: UploadedReceiptRow,
): Html =>
  html`<a href="/operations/${operationId}/receipts/${id}" target="_blank" rel="noopener"
    >${t(texts.open)}${pdf && ' PDF'}</a
  >`;
