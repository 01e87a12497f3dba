import type { Translations } from '#shared/platform/pages/index.ts';
import type { VisibleState } from './visible-payment.ts';

type Outcome = { badge: string; title: string; text: string };

export const payTexts = {
  ru: {
    product: 'Оплата',
    returnToShop: 'Вернуться в магазин',
    about: {
      title: 'Вопросы по оплате',
      support: 'Поддержка магазина',
      quote: 'Если обратитесь в магазин, назовите эти номера.',
      order: 'Номер в магазине',
      payment: 'Номер операции',
    },
    outcomes: {
      review: {
        badge: 'Проверяется',
        title: 'Чек на проверке',
        text: 'Мы получили чек и проверяем перевод. Второй раз не платите. Страницу можно закрыть: магазин узнает результат сам.',
      },
      paid: {
        badge: 'Оплачено',
        title: 'Оплачено',
        text: 'Деньги получены. Страницу можно закрыть.',
      },
      partial: {
        badge: 'Оплачено частично',
        title: 'Оплачено частично',
        text: 'Пришла только часть суммы, и платёж закрыт. Спросите в магазине, как доплатить.',
      },
      declined: {
        badge: 'Отклонено',
        title: 'Платёж отклонён',
        text: 'Если вы уже перевели деньги, обратитесь в магазин и назовите номера ниже.',
      },
      expired: {
        badge: 'Время вышло',
        title: 'Время на оплату вышло',
        text: 'Этот платёж закрыт: больше ничего не переводите. Чтобы оплатить, начните заново в магазине. Если вы уже перевели деньги, обратитесь в магазин и назовите номера ниже.',
      },
      cancelled: {
        badge: 'Отменено',
        title: 'Платёж отменён',
        text: 'Переводить ничего не нужно. Если вы уже перевели деньги, обратитесь в магазин и назовите номера ниже.',
      },
    },
    test: 'Тестовый платёж: настоящие деньги здесь не переводят.',
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
      wait: 'Вернитесь сюда: когда деньги придут, вы увидите это на странице.',
    },
    receipt: {
      title: 'Чек о переводе',
      again: 'Прошлый чек не принят: завершённого перевода в нём не видно. Загрузите другой.',
      label: 'Файл чека',
      hint: 'PDF из приложения банка, до 10 МБ',
      send: 'Отправить чек',
      sending: 'Отправляем…',
      offline: 'Нет интернета: чек не отправлен. Отправьте его, когда связь появится.',
      tooLarge: 'Файл больше 10 МБ. Выберите другой.',
      notPdf:
        'Это не PDF. Выберите PDF из приложения банка: другие файлы проверяют вручную, и это дольше.',
      sendAnyway: 'Всё равно отправить',
      unreadable: 'Файл не читается. Выберите его ещё раз.',
      open: 'Загрузить чек',
      required: 'Файл не выбран, или он пустой. Выберите чек.',
      malformed: 'Файл не дошёл целиком. Отправьте его ещё раз.',
      notExpected: 'Этот чек не отправлен: сейчас он не нужен. Что с платежом, написано ниже.',
      busy: 'Чек не удалось сохранить. Отправьте его ещё раз.',
    },
    qr: {
      title: 'Удобнее с телефона?',
      text: 'Наведите камеру: страница откроется на телефоне, где есть приложение банка, и реквизиты можно будет скопировать.',
      label: 'QR-код с адресом этой страницы',
    },
    unread: {
      title: 'Не удаётся узнать, что с платежом',
      text: 'Ничего не переводите, пока страница не обновится: возможно, платёж уже оплачен или закрыт. Если вы уже перевели деньги, второй раз не переводите.',
      next: 'Страница пробует снова сама. Проверьте, есть ли интернет.',
      check: 'Проверить сейчас',
    },
    copy: {
      amount: 'Скопировать сумму',
      number: 'Скопировать номер',
      bank: 'Скопировать банк',
      recipient: 'Скопировать имя',
      purpose: 'Скопировать назначение',
      payment: 'Скопировать номер операции',
    },
    receivedAt: 'Получено',
    live: 'Страница обновляется автоматически',
    refresh: 'Обновить страницу',
  },
  en: {
    product: 'Payment',
    returnToShop: 'Return to the shop',
    about: {
      title: 'Questions about this payment',
      support: 'Shop support',
      quote: 'If you contact the shop, give these numbers.',
      order: 'Number in the shop',
      payment: 'Operation ID',
    },
    outcomes: {
      review: {
        badge: 'Being checked',
        title: 'Your receipt is being checked',
        text: 'We have your receipt and are checking the transfer. Don’t pay again. You can close this page: the shop will get the result.',
      },
      paid: {
        badge: 'Paid',
        title: 'Paid',
        text: 'The money has arrived. You can close this page.',
      },
      partial: {
        badge: 'Paid in part',
        title: 'Paid in part',
        text: 'Only part of the amount has arrived, and the payment is closed. Ask the shop how to pay the rest.',
      },
      declined: {
        badge: 'Declined',
        title: 'The payment was declined',
        text: 'If you have already sent money, contact the shop and give the numbers below.',
      },
      expired: {
        badge: 'Time is up',
        title: 'The time to pay has run out',
        text: 'This payment is closed: don’t send any money now. To pay, start again in the shop. If you have already sent money, contact the shop and give the numbers below.',
      },
      cancelled: {
        badge: 'Cancelled',
        title: 'The payment was cancelled',
        text: 'Don’t send any money. If you have already sent some, contact the shop and give the numbers below.',
      },
    },
    test: 'Test payment: don’t send real money.',
    awaiting: {
      badge: 'Waiting for your transfer',
      receiptBadge: 'Waiting for your transfer and receipt',
      pay: 'To pay',
      exactly: 'Send exactly this amount, in one transfer',
      rest: 'Left to pay',
    },
    overdue: {
      badge: 'Time is up',
      title: 'The time to pay has run out',
      text: 'Don’t send any more money. If you have already paid, please wait: we are still checking.',
      receipt: 'If you sent the money in time, upload the receipt.',
    },
    received: (received: string, expected: string) => `Received ${received} of ${expected}.`,
    part: (received: string, expected: string) => `${received} of ${expected}`,
    payUntil: 'Pay by',
    left: 'Time left',
    minutesLeft: { 5: '5 minutes left to pay', 1: '1 minute left to pay' },
    bank: 'Bank',
    recipient: 'Recipient',
    purpose: 'Purpose of the transfer',
    noRequisites: 'Where to send the money will appear here as soon as it is ready.',
    steps: {
      title: 'How to pay',
      transfer: 'Check the recipient and send the exact amount in one transfer.',
      purpose:
        'As the purpose of the transfer, write exactly what is shown above: it is how the bank finds your transfer.',
      receipt: 'Save the receipt as a PDF and upload it on this page.',
      wait: 'Come back here: you will see when the money arrives.',
    },
    receipt: {
      title: 'Transfer receipt',
      again:
        'Your last receipt was not accepted: it doesn’t show a completed transfer. Upload another one.',
      label: 'Receipt file',
      hint: 'A PDF from your bank’s app, up to 10 MB',
      send: 'Send receipt',
      sending: 'Sending…',
      offline:
        'There is no internet connection: the receipt was not sent. Send it when you are online again.',
      tooLarge: 'The file is larger than 10 MB. Choose another file.',
      notPdf:
        'This is not a PDF. Choose the PDF from your bank’s app: other files are checked by a person, which takes longer.',
      sendAnyway: 'Send it anyway',
      unreadable: 'The file can’t be read. Choose it again.',
      open: 'Upload the receipt',
      required: 'No file was chosen, or it is empty. Choose the receipt.',
      malformed: 'The file didn’t arrive complete. Send it again.',
      notExpected:
        'This receipt was not sent: none is needed now. See below how the payment stands.',
      busy: 'The receipt could not be saved. Send it again.',
    },
    qr: {
      title: 'Easier on your phone?',
      text: 'Point your phone’s camera here: this page opens on the phone, next to your bank’s app, and you can copy the details.',
      label: 'QR code with the address of this page',
    },
    unread: {
      title: 'We can’t check this payment right now',
      text: 'Don’t send any money until this page is up to date: the payment may already be paid or closed. If you have sent the money, don’t send it again.',
      next: 'The page keeps trying. Check your internet connection.',
      check: 'Check now',
    },
    copy: {
      amount: 'Copy the amount',
      number: 'Copy the number',
      bank: 'Copy the bank',
      recipient: 'Copy the name',
      purpose: 'Copy the purpose',
      payment: 'Copy the operation ID',
    },
    receivedAt: 'Received',
    live: 'This page updates automatically',
    refresh: 'Refresh the page',
  },
} satisfies Translations<{
  /** The texts of states that show no requisites. */
  outcomes: Readonly<Record<Exclude<VisibleState, 'awaiting'>, Outcome>>;
  [text: string]: unknown;
}>;
