import type { Subject } from './subjects.ts';

type Rule = {
  en: string;
  ru: string;
  /** What it is checked on. With none of these, the rule was not tested. */
  of: Subject;
};

/**
 * Every rule that the audit checks, by the code that a violation is reported with. What each means:
 * docs/analysts/audit.md (a test compares the two).
 */
export const rules = {
  'log.position_order': {
    en: 'positions in the log only grow',
    ru: 'позиции в журнале только растут',
    of: 'events',
  },
  'log.revision_gap': {
    en: 'the revisions of a stream count from 0 without gap or repeat',
    ru: 'ревизии потока идут от 0 без пропусков и повторов',
    of: 'events',
  },
  'log.duplicate_event_id': {
    en: 'no two events have one id',
    ru: 'у двух событий не бывает одного идентификатора',
    of: 'events',
  },
  'log.undecodable': {
    en: 'every event is of a known stream and type, and its content of its schema',
    ru: 'каждое событие — известного потока и типа, и его содержание отвечает схеме',
    of: 'events',
  },
  'log.newer_version': {
    en: 'every event is of a version that this program reads; the audit ends at one that is not',
    ru: 'каждое событие — версии, которую эта программа читает; на другом аудит заканчивается',
    of: 'events',
  },
  'log.metadata': {
    en: 'every event says who caused it and belongs to what',
    ru: 'каждое событие говорит, кто его вызвал и к чему оно относится',
    of: 'events',
  },
  'log.wrong_stream': {
    en: "an event's content belongs to the stream that it stands in",
    ru: 'содержание события относится к потоку, в котором оно стоит',
    of: 'events',
  },
  'log.truncated': {
    en: 'no stream that history rests on is deleted, truncated or aged out',
    ru: 'ни один поток, на котором держится история, не удалён, не обрезан и не устарел',
    of: 'events',
  },

  'operation.admission_first': {
    en: 'an operation begins with its one admission, or with a cancel that came before it',
    ru: 'операция начинается с единственного приёма или с отмены, которая пришла раньше него',
    of: 'operations',
  },
  'operation.unknown_shop': {
    en: 'an operation belongs to a shop that was set up before it',
    ru: 'операция принадлежит магазину, заведённому до неё',
    of: 'operations',
  },
  'operation.id': {
    en: "an operation's id is made of its shop's secret and its merchant_operation_id",
    ru: 'идентификатор операции получен из секрета её магазина и её merchant_operation_id',
    of: 'operations',
  },
  'operation.illegal_transition': {
    en: 'each event is one that the state before it permits',
    ru: 'каждое событие допустимо в состоянии перед ним',
    of: 'operation_events',
  },
  'operation.second_end': {
    en: 'an operation ends once',
    ru: 'операция заканчивается один раз',
    of: 'ends',
  },
  'operation.event_after_end': {
    en: 'only late withdrawals follow an end in its stream',
    ru: 'после завершения в потоке операции бывают только поздние отзывы попыток',
    of: 'operation_events',
  },
  'operation.requisites_after_cancel': {
    en: 'a cancellation that won is followed by no requisites',
    ru: 'после отмены, которая победила, реквизиты не выдаются',
    of: 'cancels',
  },
  'operation.payout_cancelled': {
    en: 'no payout is cancelled or expires',
    ru: 'выплата не отменяется и не истекает',
    of: 'payouts',
  },
  'operation.payout_declined_unknown': {
    en: 'a payout whose provider may have taken it is not declined',
    ru: 'выплата, которую провайдер мог взять, не отклоняется',
    of: 'payouts',
  },
  'operation.legs': {
    en: 'the money of an end is the sum of its legs, each counted once',
    ru: 'деньги завершения — сумма его переводов, каждый учтён один раз',
    of: 'paid_ends',
  },
  'operation.end_kind': {
    en: 'completed has all the money that was expected, partially_completed less, other ends none',
    ru: 'completed — пришло всё, что ждали, partially_completed — меньше, остальные — без денег',
    of: 'ends',
  },
  'operation.figures': {
    en: 'recorded, commission and settlement follow from money, rate and route by the rounding rule',
    ru: 'сумма к учёту, комиссия и расчёт следуют из денег, курса и маршрута по правилу округления',
    of: 'paid_ends',
  },
  'operation.decided': {
    en: 'an end after a decision has the money that was decided, and only an approval adds money that no provider reported',
    ru: 'завершение после решения имеет те деньги, о которых решено; деньги, о которых не сообщил провайдер, добавляет только одобрение',
    of: 'operation_events',
  },
  'operation.expired_early': {
    en: 'a payment expires when its window has ended, or by a report of its provider',
    ru: 'платёж истекает, когда закончилось его окно, или по отчёту его провайдера',
    of: 'ends',
  },
  'operation.reserved_amount': {
    en: "a payout's request for funds is its expected settlement in the ledger's currency, by the terms of each attempt that uses them",
    ru: 'запрос средств на выплату равен её ожидаемому расчёту в валюте учёта, по условиям каждой попытки, которая ими пользуется',
    of: 'reservation_requests',
  },
  'operation.overdue': {
    en: 'nothing stays open without a timer, a provider or a person to wait for',
    ru: 'ничто не остаётся открытым без таймера, провайдера или человека, которого ждут',
    of: 'operations',
  },

  'ledger.unbalanced': {
    en: "an entry's legs add up to zero",
    ru: 'сумма проводок записи равна нулю',
    of: 'entries',
  },
  'ledger.legs': {
    en: 'an entry names an account once, moves something on it, and only on the accounts of its kind',
    ru: 'запись называет счёт один раз, что-то по нему двигает, и только по счетам своего вида',
    of: 'entries',
  },
  'ledger.totals': {
    en: "a ledger's accounts add up to zero after every entry",
    ru: 'счета книги в сумме дают ноль после каждой записи',
    of: 'entries',
  },
  'ledger.position': {
    en: 'balance_after and reserved_after are those of the entry before, plus its own legs',
    ru: 'balance_after и reserved_after — значения предыдущей записи плюс собственные проводки',
    of: 'entries',
  },
  'ledger.reserved_negative': {
    en: 'what is set aside is never negative',
    ru: 'отложенное не бывает отрицательным',
    of: 'entries',
  },
  'ledger.floor': {
    en: 'no reserve takes the balance below the overdraft limit in force',
    ru: 'резерв не опускает баланс ниже действующего лимита овердрафта',
    of: 'reserves',
  },
  'ledger.posted_twice': {
    en: 'an entry of one reference and kind stands once',
    ru: 'запись с одной ссылкой и одного вида стоит один раз',
    of: 'entries',
  },
  'ledger.not_owed': {
    en: 'every entry has the event that owes it before it, of the same shop and currency',
    ru: 'перед каждой записью есть событие, которое её требует, того же магазина и валюты',
    of: 'entries',
  },
  'ledger.cause': {
    en: 'an entry says which event owes it, through which provider, and what was converted at which rate',
    ru: 'запись говорит, какое событие её требует, через какого провайдера и что по какому курсу пересчитано',
    of: 'entries',
  },
  'ledger.reservation_end': {
    en: 'a reservation ends once, for exactly what it set aside, and is not made after that',
    ru: 'резерв заканчивается один раз, ровно на отложенную сумму, и после этого не делается',
    of: 'reserves',
  },

  'reservation.amount': {
    en: 'a reserve sets aside what its payout requested',
    ru: 'резерв откладывает то, что запросила его выплата',
    of: 'reserves',
  },
  'reservation.not_made': {
    en: 'no payout is dispatched before the ledger holds its reservation',
    ru: 'выплата не отправляется провайдеру раньше, чем её резерв стоит в книге',
    of: 'funded',
  },
  'reservation.not_closed': {
    en: 'every reservation that was requested is closed once its payout has ended',
    ru: 'каждый запрошенный резерв закрыт, когда его выплата завершена',
    of: 'reservation_requests',
  },

  'settlement.missing': {
    en: 'an operation that ended with money is settled in the ledger',
    ru: 'операция, которая завершилась деньгами, проведена в книге',
    of: 'paid_ends',
  },
  'settlement.amounts': {
    en: "a settlement's legs are the figures of the operation's end",
    ru: 'проводки расчёта — суммы завершения операции',
    of: 'settlements',
  },

  'late.unknown': {
    en: 'a late fact is of an operation that was admitted, of one of its attempts, and of money as it stands',
    ru: 'поздний факт — о принятой операции, одной из её попыток и деньгах, как они записаны',
    of: 'late_facts',
  },
  'late.twice': {
    en: 'a late transfer is recorded once, and is not also counted for the operation',
    ru: 'поздний перевод записан один раз и не учтён ещё и в операции',
    of: 'late_transfers',
  },
  'late.open': {
    en: 'money of the accepted attempt is late only once the operation has ended',
    ru: 'деньги принятой попытки поздние только после завершения операции',
    of: 'late_facts',
  },
  'late.approved': {
    en: 'what comes after an approval confirms it first, up to what was approved; only the excess is late, and only the rest is missing',
    ru: 'пришедшее после одобрения сначала подтверждает его, до одобренной суммы; позднее — только излишек, недостача — только остаток',
    of: 'late_transfers',
  },
  'late.returned': {
    en: 'money that went back stands once, in the direction of its operation, and says what its leg never brought',
    ru: 'ушедшее обратно записано один раз, в направлении своей операции, с указанием того, чего перевод не приносил',
    of: 'money_returned',
  },
  'late.overcharge': {
    en: 'an overcharge is told of a payout that cost more than agreed, with its figures',
    ru: 'о переплате сообщается для выплаты, которая стоила больше согласованного, с её суммами',
    of: 'payouts',
  },
  'late.suspense_missing': {
    en: 'late money is in suspense',
    ru: 'поздние деньги стоят на счёте невыясненных сумм',
    of: 'late_money',
  },
  'late.suspense_amounts': {
    en: 'suspense holds just the late money, in its currency and direction',
    ru: 'на счёте невыясненных сумм — ровно поздние деньги, в их валюте и направлении',
    of: 'suspense',
  },
  'late.resolution': {
    en: 'a resolution takes back just what stands in suspense, to the account of its decision',
    ru: 'решение забирает ровно то, что стоит на счёте невыясненных сумм, на счёт этого решения',
    of: 'resolutions',
  },

  'adjustment.missing': {
    en: 'an adjustment that was requested is posted',
    ru: 'запрошенная корректировка проведена',
    of: 'adjustment_requests',
  },
  'adjustment.amounts': {
    en: 'an adjustment moves what was requested, and its note names its entry',
    ru: 'корректировка двигает то, что запрошено, и её отметка называет её запись',
    of: 'adjustments',
  },

  'receipts.not_owed': {
    en: 'receipts are settled once, for an operation that ended with money',
    ru: 'чеки подводятся один раз, для операции, которая завершилась деньгами',
    of: 'evidence',
  },
  'receipts.not_shown': {
    en: 'legs are the evidence where a report ended the operation, or a person alone vouched',
    ru: 'переводы — свидетельства там, где операцию завершил отчёт или поручился один человек',
    of: 'paid_ends',
  },
  'receipts.legs': {
    en: 'receipts add up to exactly the legs of their operation',
    ru: 'чеки в сумме дают ровно переводы своей операции',
    of: 'evidence',
  },
  'receipts.status': {
    en: 'receipts are complete unless one of them is synthetic',
    ru: 'чеки полны, если ни один из них не синтетический',
    of: 'evidence',
  },

  'statement.whole': {
    en: "an import of a provider's statement has the lines, totals and digest that its end says, and a number of its own",
    ru: 'импорт выписки провайдера содержит строки, суммы и отпечаток, которые называет его конец, и имеет свой номер',
    of: 'statements',
  },
  'statement.closed': {
    en: 'a finding that was closed is of an imported statement, and about a line or a leg that is there',
    ru: 'закрытое расхождение относится к импортированной выписке и к строке или переводу, которые там есть',
    of: 'closed_findings',
  },
  'statement.books': {
    en: "on a day with a statement the books have of an operation's money at its account what the operation counts",
    ru: 'в день, на который есть выписка, в книгах по счёту операции столько, сколько она учла',
    of: 'statements',
  },

  'setup.order': {
    en: 'merchants, shops, keys and tokens are made before they are used, once',
    ru: 'мерчанты, магазины, ключи и токены заведены до использования, один раз',
    of: 'setup',
  },

  'routing.route': {
    en: 'an attempt goes by a route that its shop had when the operation began, with its provider, commission and conversion',
    ru: 'попытка идёт по маршруту, который был у магазина при начале операции: тот же провайдер, комиссия и конвертация',
    of: 'attempts',
  },

  'routing.daily_limit': {
    en: 'no attempt is started on a route whose limit of the day was used up a minute before',
    ru: 'попытка не начинается на маршруте, дневной лимит которого был исчерпан за минуту до неё',
    of: 'attempts',
  },

  'routing.provider_off': {
    en: 'no attempt is started at a provider that an operator had switched off',
    ru: 'попытка не начинается у провайдера, которого оператор выключил',
    of: 'attempts',
  },

  'routing.account_off': {
    en: 'no attempt is started with an account that is not there, or that an operator had switched off or removed',
    ru: 'попытка не начинается с аккаунтом, которого нет или который оператор выключил или удалил',
    of: 'attempts',
  },

  'authority.actor': {
    en: 'an event is written by one who may write it: a provider for its own attempts, an operator on command',
    ru: 'событие записал тот, кто вправе: провайдер — о своих попытках, оператор — по команде',
    of: 'events',
  },
  'authority.role': {
    en: 'whoever gives a command holds a token then, of a role that may give it',
    ru: 'кто даёт команду, держит в это время токен роли, которой она разрешена',
    of: 'commands',
  },
  'authority.key': {
    en: 'what a merchant does names a key that was issued to the shop, and not revoked before',
    ru: 'действие мерчанта называет ключ, выданный магазину и не отозванный ранее',
    of: 'by_merchants',
  },
  'authority.token': {
    en: "an operator's command, and what follows from it, names the token by id",
    ru: 'команда оператора и то, что из неё следует, называют токен по идентификатору',
    of: 'by_operators',
  },
  'authority.payer': {
    en: 'a payer acts on the payment page alone',
    ru: 'плательщик действует только на платёжной странице',
    of: 'by_payers',
  },
  'authority.member': {
    en: 'what a member does is within the role then and of the shop alone, and a sign-in takes a link issued for it, once',
    ru: 'действие сотрудника — в пределах его роли и только его магазина, а вход — по выданной ему ссылке, один раз',
    of: 'by_members',
  },
  'authority.decision': {
    en: 'an operator ends an operation only by a decision of one’s own on it',
    ru: 'оператор завершает операцию только собственным решением о ней',
    of: 'by_operators',
  },
  'authority.amount': {
    en: 'an admin alone approves more money than was expected',
    ru: 'больше ожидаемой суммы одобряет только администратор',
    of: 'reviews',
  },

  'personal.in_clear': {
    en: 'what is personal in an event is sealed, since there are keys',
    ru: 'персональное в событии запечатано с тех пор, как есть ключи',
    of: 'with_personal',
  },
  'personal.key_missing': {
    en: 'what is sealed has a key, or one that was destroyed',
    ru: 'для запечатанного есть ключ, или он был уничтожен',
    of: 'with_personal',
  },
  'personal.key_destroyed': {
    en: 'a key is retired and destroyed only where an operator asked for its erasure',
    ru: 'ключ выводят и уничтожают только там, где оператор запросил стирание',
    of: 'keys',
  },
  'personal.erasure': {
    en: 'an erasure is asked for by an operator, destroys the key and then ends',
    ru: 'стирание запрашивает оператор, оно уничтожает ключ и затем заканчивается',
    of: 'erasures',
  },

  'report.signature': {
    en: 'a callback is kept as its provider signed it, and says of operation, attempt, terms, legs, their times and outcome what its events say',
    ru: 'уведомление хранится так, как его подписал провайдер, и говорит об операции, попытке, условиях, переводах, их времени и исходе то же, что его события',
    of: 'callbacks',
  },

  'webhook.missing': {
    en: 'a message exists for every event that owes one',
    ru: 'сообщение есть для каждого события, которое его требует',
    of: 'messages',
  },
  'webhook.content': {
    en: 'a message says what the log gives for its event',
    ru: 'сообщение говорит то, что журнал даёт для его события',
    of: 'messages',
  },
  'webhook.surplus': {
    en: 'no message exists that no event owes',
    ru: 'нет сообщения, которого не требует ни одно событие',
    of: 'messages',
  },

  'read_model.missing': {
    en: 'every row that the log gives is there',
    ru: 'каждая строка, которую даёт журнал, на месте',
    of: 'rows',
  },
  'read_model.differs': {
    en: 'every row is as the log gives it',
    ru: 'каждая строка такова, какой её даёт журнал',
    of: 'rows',
  },
  'read_model.surplus': {
    en: 'no row is there that the log does not give',
    ru: 'нет строки, которой журнал не даёт',
    of: 'rows',
  },
  'read_model.stopped': {
    en: 'no read model has stopped before an event',
    ru: 'ни одна модель чтения не остановилась перед событием',
    of: 'read_models',
  },
  'read_model.ahead': {
    en: 'no read model has an event that the log does not have',
    ru: 'ни у одной модели чтения нет события, которого нет в журнале',
    of: 'read_models',
  },

  'checkpoint.signature': {
    en: 'a checkpoint is as its signer made it, with the key that the auditor holds',
    ru: 'контрольная точка такова, какой её сделал подписавший, ключом, который держит аудитор',
    of: 'checkpoints',
  },
  'checkpoint.missing': {
    en: 'the checkpoint that the auditor expects is there, as its signer made it',
    ru: 'контрольная точка, которую ждёт аудитор, на месте и такова, какой её сделал подписавший',
    of: 'checkpoints',
  },
  'checkpoint.rewritten': {
    en: 'the log up to a checkpoint is, byte by byte, what it was then',
    ru: 'журнал до контрольной точки — байт в байт тот же, что был тогда',
    of: 'checkpoints',
  },
} as const satisfies Record<string, Rule>;

export type RuleCode = keyof typeof rules;
export const ruleCodes = Object.keys(rules) as RuleCode[];

export const isRuleCode = (code: string): code is RuleCode => Object.hasOwn(rules, code);
