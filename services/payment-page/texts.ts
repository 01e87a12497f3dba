import type { Translated } from '#shared/platform/pages/index.ts';
import type { DeclineReason } from '#shared/domain/operation/ends/decline-reason.ts';
import type { ShownState } from './visible-payment.ts';

type Outcome = { badge: string; title: string; text: string };

const unavailable = {
  ru: 'Сейчас этим способом оплатить нельзя, переводить ничего не нужно. Вернитесь в магазин и выберите другой способ или попробуйте позже.',
  en: 'This payment method is not available at the moment, and there is nothing to transfer. Go back to the shop and choose another method, or try again later.',
};
const notReceived = {
  ru: 'Деньги не получены. Больше не переводите их по этим реквизитам. Чтобы оплатить, начните заново в магазине.',
  en: 'No money was received. Do not send any to these account details any more. To pay, start again in the shop.',
};

export const texts = {
  ru: {
    product: 'Оплата',
    returnToShop: 'Вернуться в магазин',
    about: {
      title: 'Вопросы по оплате',
      support: 'Поддержка магазина',
      quote: 'Обращаясь в магазин, назовите эти номера.',
      order: 'Номер в магазине',
      payment: 'Номер операции',
    },
    outcomes: {
      review: {
        badge: 'Проверяется',
        title: 'Чек на проверке',
        text: 'Мы получили чек и проверяем перевод. Страницу можно закрыть: магазин узнает результат автоматически.',
      },
      paid: {
        badge: 'Оплачено',
        title: 'Оплачено',
        text: 'Деньги получены. Страницу можно закрыть.',
      },
      partial: {
        badge: 'Оплачено частично',
        title: 'Оплачено частично',
        text: 'Пришла не вся сумма, и платёж закрыт. Об остатке договоритесь с магазином.',
      },
      declined: {
        badge: 'Отклонено',
        title: 'Платёж отклонён',
        text: 'Если вы уже перевели деньги, обратитесь в магазин и назовите номера ниже.',
      },
      expired: {
        badge: 'Время вышло',
        title: 'Время на оплату вышло',
        text: 'Больше не переводите деньги по этим реквизитам. Чтобы оплатить, начните заново в магазине. Если вы уже перевели деньги, обратитесь в магазин и назовите номера ниже.',
      },
      cancelled: {
        badge: 'Отменено',
        title: 'Платёж отменён',
        text: 'Переводить ничего не нужно. Если вы уже перевели деньги, обратитесь в магазин и назовите номера ниже.',
      },
    },
    declined: {
      no_route: unavailable.ru,
      routes_full: unavailable.ru,
      provider_unavailable: unavailable.ru,
      provider_refused: unavailable.ru,
      acceptance_timeout: unavailable.ru,
      insufficient_funds: unavailable.ru,
      receipt_rejected:
        'Чек не подтвердил перевод. Проверьте в банке, ушли ли деньги: если нет, начните оплату заново в магазине.',
      provider_declined: notReceived.ru,
      closed_by_operator: notReceived.ru,
    },
    awaiting: {
      badge: 'Ждём перевод',
      receiptBadge: 'Ждём перевод и чек',
      pay: 'К оплате',
      exactly: 'Переведите ровно эту сумму, одним переводом',
      rest: 'Осталось перевести',
    },
    overdue: {
      badge: 'Время вышло',
      title: 'Время на оплату вышло',
      text: 'Больше ничего не переводите. Если вы уже перевели деньги, подождите: мы ещё проверяем платёж.',
      receipt: 'Если вы перевели деньги вовремя, загрузите чек.',
    },
    received: (received: string, expected: string) => `Получено ${received} из ${expected}.`,
    part: (received: string, expected: string) => `${received} из ${expected}`,
    payUntil: 'Оплатите до',
    left: 'Осталось',
    minutesLeft: { 5: 'На оплату осталось 5 минут', 1: 'На оплату осталась 1 минута' },
    amount: 'Сумма',
    bank: 'Банк',
    recipient: 'Получатель',
    purpose: 'Назначение платежа',
    noRequisites: 'Реквизиты появятся здесь, как только будут готовы.',
    steps: {
      title: 'Как оплатить',
      transfer: 'Сверьте получателя и переведите точную сумму одним переводом.',
      purpose:
        'В назначении платежа напишите ровно то, что указано выше: по нему банк найдёт ваш перевод.',
      receipt: 'Сохраните чек в PDF и загрузите его на этой странице.',
      wait: 'Вернитесь сюда: страница обновится, когда деньги придут.',
    },
    receipt: {
      title: 'Чек о переводе',
      again:
        'Прошлый чек не принят: перевода в нём нет, или он ещё не завершён. Загрузите другой чек.',
      label: 'Файл чека',
      hint: 'PDF из приложения банка, до 10 МБ',
      send: 'Отправить чек',
      sending: 'Отправляем…',
      tooLarge: 'Файл больше 10 МБ. Выберите другой.',
      notPdf:
        'Это не PDF. Выберите PDF из приложения банка: другие файлы проверяют вручную, и это дольше.',
      sendAnyway: 'Всё равно отправить',
      unreadable: 'Файл не читается. Выберите его ещё раз.',
      open: 'Загрузить чек',
      required: 'Выберите файл: он не должен быть пустым.',
      malformed: 'Файл не дошёл целиком. Отправьте его ещё раз.',
      notExpected: 'Чек сейчас не нужен: посмотрите статус платежа.',
      busy: 'Чек не удалось сохранить. Отправьте его ещё раз.',
    },
    qr: {
      title: 'Удобнее с телефона?',
      text: 'Наведите камеру: страница откроется на телефоне, где есть приложение банка, и реквизиты можно будет скопировать.',
      label: 'QR-код с адресом этой страницы',
    },
    live: 'Страница обновляется автоматически',
    refresh: 'Обновить страницу',
  },
  en: {
    product: 'Payment',
    returnToShop: 'Return to the shop',
    about: {
      title: 'Questions about this payment',
      support: 'Shop support',
      quote: 'Quote these IDs when you contact the shop.',
      order: 'Merchant operation ID',
      payment: 'Operation ID',
    },
    outcomes: {
      review: {
        badge: 'Under review',
        title: 'Your receipt is under review',
        text: 'We have your receipt and are checking the transfer. You may close this page: the shop will be notified of the result.',
      },
      paid: {
        badge: 'Paid',
        title: 'Paid',
        text: 'The money has arrived. You may close this page.',
      },
      partial: {
        badge: 'Paid in part',
        title: 'Paid in part',
        text: 'Only part of the amount has arrived, and the payment is closed. Please contact the shop about the rest.',
      },
      declined: {
        badge: 'Declined',
        title: 'The payment was declined',
        text: 'If you have already sent money, contact the shop and quote the IDs below.',
      },
      expired: {
        badge: 'Expired',
        title: 'The time to pay has run out',
        text: 'Do not send any money to these account details. To pay, start again in the shop. If you have already sent money, contact the shop and quote the IDs below.',
      },
      cancelled: {
        badge: 'Cancelled',
        title: 'The payment was cancelled',
        text: 'There is nothing to pay. If you have already sent money, contact the shop and quote the IDs below.',
      },
    },
    declined: {
      no_route: unavailable.en,
      routes_full: unavailable.en,
      provider_unavailable: unavailable.en,
      provider_refused: unavailable.en,
      acceptance_timeout: unavailable.en,
      insufficient_funds: unavailable.en,
      receipt_rejected:
        'The receipt did not confirm a transfer. Check with your bank whether the money was sent: if not, start again in the shop.',
      provider_declined: notReceived.en,
      closed_by_operator: notReceived.en,
    },
    awaiting: {
      badge: 'Awaiting transfer',
      receiptBadge: 'Awaiting transfer and receipt',
      pay: 'To pay',
      exactly: 'Send exactly this amount, in one transfer',
      rest: 'Left to transfer',
    },
    overdue: {
      badge: 'Time is up',
      title: 'The time to pay has run out',
      text: 'Do not send any more money. If you have already paid, please wait: we are still checking the payment.',
      receipt: 'If you paid in time, upload the receipt.',
    },
    received: (received: string, expected: string) => `Received ${received} of ${expected}.`,
    part: (received: string, expected: string) => `${received} of ${expected}`,
    payUntil: 'Pay before',
    left: 'Time left',
    minutesLeft: { 5: '5 minutes left to pay', 1: '1 minute left to pay' },
    amount: 'Amount',
    bank: 'Bank',
    recipient: 'Recipient',
    purpose: 'Purpose of the transfer',
    noRequisites: 'The details will appear here as soon as they are ready.',
    steps: {
      title: 'How to pay',
      transfer: 'Check the recipient and send the exact amount in one transfer.',
      purpose:
        'As the purpose of the transfer, write exactly what is shown above: it identifies your transfer.',
      receipt: 'Save the receipt as a PDF and upload it on this page.',
      wait: 'Come back here: the page updates when the money arrives.',
    },
    receipt: {
      title: 'Transfer receipt',
      again:
        'Your last receipt was not accepted: it shows no transfer, or a transfer that is not complete. Please upload another one.',
      label: 'Receipt file',
      hint: 'A PDF from your bank’s app, up to 10 MB',
      send: 'Send receipt',
      sending: 'Sending…',
      tooLarge: 'The file is larger than 10 MB. Choose another file.',
      notPdf:
        'This is not a PDF. Choose the PDF from your bank’s app: other files are reviewed manually, which takes longer.',
      sendAnyway: 'Send it anyway',
      unreadable: 'The file can’t be read. Choose it again.',
      open: 'Upload the receipt',
      required: 'Choose a file that is not empty.',
      malformed: 'The upload was incomplete. Send the file again.',
      notExpected: 'No receipt is needed now: see the status of the payment.',
      busy: 'The receipt could not be saved. Send it again.',
    },
    qr: {
      title: 'Easier on your phone?',
      text: 'Scan with your camera: this page opens on the phone with your bank’s app, and you can copy the details.',
      label: 'QR code with the address of this page',
    },
    live: 'This page updates automatically',
    refresh: 'Reload the page',
  },
} satisfies Translated<{
  /** The texts of states that show no requisites. */
  outcomes: Readonly<Record<Exclude<ShownState, 'awaiting'>, Outcome>>;
  /** What to do after a decline, by its reason. */
  declined: Readonly<Record<DeclineReason, string>>;
  [text: string]: unknown;
}>;
