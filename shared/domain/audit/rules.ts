import type { Subject } from './subjects.ts';

type Rule = {
  en: string;
  ru: string;
  /** The subject that it is checked on. With none, the rule was not tested. */
  of: Subject;
};

/**
 * Every rule that the audit checks, by the code of its violations; explained in
 * docs/analysts/audit.md (a test compares the two).
 */
export const rules = {
  'log.position_order': {
    en: 'positions in the log only increase',
    ru: 'позиции в журнале только растут',
    of: 'events',
  },
  'log.time_order': {
    en: 'no event is clearly older than the one right before it, or from the future',
    ru: 'событие не бывает явно старше того, что прямо перед ним, или из будущего',
    of: 'events',
  },
  'log.revision_gap': {
    en: 'the revisions of a stream count from 0 without gaps or duplicates',
    ru: 'ревизии потока идут от 0 без пропусков и повторов',
    of: 'events',
  },
  'log.duplicate_event_id': {
    en: 'event ids are unique',
    ru: 'у двух событий не бывает одного идентификатора',
    of: 'events',
  },
  'log.undecodable': {
    en: 'every event has a known stream and type, and its content matches its schema',
    ru: 'каждое событие — известного потока и типа, и его содержание отвечает схеме',
    of: 'events',
  },
  'log.newer_version': {
    en: "every event has a version that this program can read; the audit stops at one that it can't",
    ru: 'каждое событие — версии, которую эта программа читает; на другом аудит заканчивается',
    of: 'events',
  },
  'log.metadata': {
    en: 'every event names its actor and its correlation id; an event that caused it is in the log before it',
    ru: 'каждое событие говорит, кто его вызвал и к чему оно относится; событие-причина стоит в журнале раньше',
    of: 'events',
  },
  'log.time': {
    en: 'an event has the time at which this log, or the log that was moved here, recorded it',
    ru: 'время события — то, когда его записал этот журнал или журнал, который сюда перенесли',
    of: 'events',
  },
  'log.stated_time': {
    en: 'a time that an event states for itself is one that the gateway could compute when it wrote the event',
    ru: 'время, которое событие называет само, — такое, какое шлюз мог вычислить, когда его записывал',
    of: 'events',
  },
  'log.older_version': {
    en: 'no event has an older version than an event of its type before, apart from the day of an upgrade',
    ru: 'версия события не старше версии прежнего события того же типа, кроме дня обновления',
    of: 'events',
  },
  'log.unsigned': {
    en: 'every event is signed, since events are signed',
    ru: 'каждое событие подписано, с тех пор как события подписываются',
    of: 'events',
  },
  'log.keys': {
    en: 'the keys that all services share begin in their order, and each is required a day later, once',
    ru: 'общие ключи сервисов вводятся по порядку, и каждый становится обязательным через день, один раз',
    of: 'events',
  },
  'log.signature': {
    en: 'the signature of an event is that of its stream, revision and content, by a key of a service that was in use then',
    ru: 'подпись события верна для его потока, ревизии и содержания и сделана ключом сервиса, который тогда действовал',
    of: 'signatures',
  },
  'log.wrong_stream': {
    en: "an event's content belongs to its stream",
    ru: 'содержание события относится к потоку, в котором оно стоит',
    of: 'events',
  },
  'log.truncated': {
    en: 'no stream of the history is deleted, truncated or expired',
    ru: 'ни один поток, на котором держится история, не удалён, не обрезан и не устарел',
    of: 'events',
  },
  'log.figures': {
    en: 'what a move or a recorded audit states of the log is what the log has up to there',
    ru: 'то, что о журнале говорят перенос и записанный аудит, в нём до этого места и есть',
    of: 'events',
  },

  'operation.admission_first': {
    en: 'an operation begins with its only admission, or with a cancel that preceded it',
    ru: 'операция начинается с единственного приёма или с отмены, которая пришла раньше него',
    of: 'operations',
  },
  'operation.unknown_shop': {
    en: 'an operation belongs to a shop that existed before it, and to its merchant',
    ru: 'операция принадлежит магазину, заведённому до неё, и его мерчанту',
    of: 'operations',
  },
  'operation.id': {
    en: "an operation's id is derived from its shop's secret and its merchant_operation_id",
    ru: 'идентификатор операции получен из секрета её магазина и её merchant_operation_id',
    of: 'operations',
  },
  'operation.illegal_transition': {
    en: 'each event is a legal transition from the state before it',
    ru: 'каждое событие допустимо в состоянии перед ним',
    of: 'operation_events',
  },
  'operation.second_end': {
    en: 'an operation has only one terminal status',
    ru: 'операция заканчивается один раз',
    of: 'ends',
  },
  'operation.event_after_end': {
    en: "only late withdrawals follow a terminal status in an operation's stream",
    ru: 'после завершения в потоке операции бывают только поздние отзывы попыток',
    of: 'operation_events',
  },
  'operation.requisites_after_cancel': {
    en: 'no requisites are recorded after a cancellation',
    ru: 'после отмены, которая победила, реквизиты не выдаются',
    of: 'cancels',
  },
  'operation.payout_cancelled': {
    en: 'a payout is never cancelled or expired',
    ru: 'выплата не отменяется и не истекает',
    of: 'payouts',
  },
  'operation.payout_declined_unknown': {
    en: 'a payout that a provider may have accepted is not declined',
    ru: 'выплата, которую провайдер мог взять, не отклоняется',
    of: 'payouts',
  },
  'operation.legs': {
    en: 'the money of a terminal status is the sum of the legs, each counted once and none negative',
    ru: 'деньги завершения — сумма его переводов, каждый учтён один раз и не меньше нуля',
    of: 'paid_ends',
  },
  'operation.end_kind': {
    en: 'completed has all the expected money, partially_completed less, every other terminal status none',
    ru: 'completed — пришло всё, что ждали, partially_completed — меньше, остальные — без денег',
    of: 'ends',
  },
  'operation.figures': {
    en: 'recorded amount, commission and settlement follow from the money, the rate and the route, rounded half up',
    ru: 'сумма к учёту, комиссия и расчёт следуют из денег, курса и маршрута по правилу округления',
    of: 'paid_ends',
  },
  'operation.decided': {
    en: 'a terminal status after a decision has the decided amount, and only an approval adds money that no provider reported',
    ru: 'завершение после решения имеет те деньги, о которых решено; деньги, о которых не сообщил провайдер, добавляет только одобрение',
    of: 'operation_events',
  },
  'operation.expired_early': {
    en: "a payment expires after its window, or by its provider's report",
    ru: 'платёж истекает, когда закончилось его окно, или по отчёту его провайдера',
    of: 'ends',
  },
  'operation.decline_cause': {
    en: 'a create is declined for what became of its attempts and of the routes that it skipped',
    ru: 'создание отклонено по той причине, которую показывают его попытки и пропущенные маршруты',
    of: 'ends',
  },
  'operation.reserved_amount': {
    en: "the amount requested for a payout is its expected settlement in the ledger's currency, by the terms of each attempt that uses the reservation",
    ru: 'запрос средств на выплату равен её ожидаемому расчёту в валюте учёта, по условиям каждой попытки, которая ими пользуется',
    of: 'reservation_requests',
  },
  'operation.overdue': {
    en: 'every open operation waits for a timer, a provider or a person',
    ru: 'ничто не остаётся открытым без таймера, провайдера или человека, которого ждут',
    of: 'operations',
  },

  'ledger.unbalanced': {
    en: "an entry's legs add up to zero",
    ru: 'сумма проводок записи равна нулю',
    of: 'entries',
  },
  'ledger.legs': {
    en: 'an entry has one non-zero leg per account, and only on the accounts of its kind',
    ru: 'запись называет счёт один раз, что-то по нему двигает, и только по счетам своего вида',
    of: 'entries',
  },
  'ledger.totals': {
    en: "the balances of a ledger's accounts add up to zero after every entry",
    ru: 'счета книги в сумме дают ноль после каждой записи',
    of: 'entries',
  },
  'ledger.position': {
    en: "balance_after and reserved_after are the previous entry's values plus the entry's own legs",
    ru: 'balance_after и reserved_after — значения предыдущей записи плюс собственные проводки',
    of: 'entries',
  },
  'ledger.reserved_negative': {
    en: 'the reserved amount is never negative',
    ru: 'отложенное не бывает отрицательным',
    of: 'entries',
  },
  'ledger.floor': {
    en: 'no reservation takes the balance below the overdraft limit in force',
    ru: 'резерв не опускает баланс ниже действующего лимита овердрафта',
    of: 'reserves',
  },
  'ledger.posted_twice': {
    en: 'only one entry has the same reference and kind',
    ru: 'запись с одной ссылкой и одного вида стоит один раз',
    of: 'entries',
  },
  'ledger.not_owed': {
    en: 'every entry follows an event that requires it, of the same shop and currency',
    ru: 'перед каждой записью есть событие, которое её требует, того же магазина и валюты',
    of: 'entries',
  },
  'ledger.cause': {
    en: 'an entry names the event that requires it, the provider, and the conversion with its rate',
    ru: 'запись говорит, какое событие её требует, через какого провайдера и что по какому курсу пересчитано',
    of: 'entries',
  },
  'ledger.reservation_end': {
    en: 'a reservation is closed once, for exactly the reserved amount, and is not made again after that',
    ru: 'резерв заканчивается один раз, ровно на отложенную сумму, и после этого не делается',
    of: 'reserves',
  },

  'tree.root': {
    en: 'a signed root of a ledger is that of its entries in the log',
    ru: 'подписанный корень книги получен из её записей в журнале',
    of: 'signed_roots',
  },
  'tree.size': {
    en: 'no signed checkpoint of a ledger has fewer entries than the one before, or more than there are; none is of a whole shop once there are those of ledgers',
    ru: 'в подписанной точке книги записей не меньше, чем в прежней, и не больше, чем есть; после точек книг не бывает точек магазина',
    of: 'signed_roots',
  },
  'tree.time': {
    en: 'a signed checkpoint is later than the one before and than its entries, not later than the log recorded it, and no entry after it is clearly from before it',
    ru: 'подписанная точка позже прежней и своих записей, не позже, чем её записал журнал, и после неё нет записей, которые явно старше её',
    of: 'signed_roots',
  },
  'tree.signature': {
    en: 'a checkpoint’s signature holds, by a key of the log that was valid then',
    ru: 'подпись точки верна и сделана ключом из журнала, который тогда действовал',
    of: 'signed_roots',
  },
  'tree.key': {
    en: 'one key signs at a time, and its id is never used again',
    ru: 'подписывает один ключ за раз, и его идентификатор не используют снова',
    of: 'setup',
  },

  'reservation.amount': {
    en: 'a reservation has the amount that its payout requested',
    ru: 'резерв откладывает то, что запросила его выплата',
    of: 'reserves',
  },
  'reservation.not_made': {
    en: 'no payout is sent to a provider before its reservation is posted',
    ru: 'выплата не отправляется провайдеру раньше, чем её резерв стоит в книге',
    of: 'funded',
  },
  'reservation.refused': {
    en: 'a payout is refused for lack of funds only where its ledger had too little, with the balance, limit and amount of the log',
    ru: 'в выплате отказано из-за нехватки средств, только если их не было в книге; баланс, лимит и сумма — из журнала',
    of: 'reservation_requests',
  },
  'reservation.not_closed': {
    en: 'every requested reservation is closed once its payout has a terminal status',
    ru: 'каждый запрошенный резерв закрыт, когда его выплата завершена',
    of: 'reservation_requests',
  },

  'settlement.missing': {
    en: 'an operation whose terminal status has money is settled in the ledger',
    ru: 'операция, которая завершилась деньгами, проведена в книге',
    of: 'paid_ends',
  },
  'settlement.amounts': {
    en: "a settlement's legs equal the figures of the operation's terminal status",
    ru: 'проводки расчёта — суммы завершения операции',
    of: 'settlements',
  },

  'late.unknown': {
    en: 'a late fact refers to an admitted operation of its merchant, one of its attempts, and the recorded amount; money has no negative amount',
    ru: 'поздний факт — о принятой операции своего мерчанта, одной из её попыток и деньгах, как они записаны; сумма не меньше нуля',
    of: 'late_facts',
  },
  'late.twice': {
    en: 'a late transfer is recorded once, and is not also counted in the operation',
    ru: 'поздний перевод записан один раз и не учтён ещё и в операции',
    of: 'late_transfers',
  },
  'late.open': {
    en: "money of the accepted attempt is late only after the operation's terminal status",
    ru: 'деньги принятой попытки поздние только после завершения операции',
    of: 'late_facts',
  },
  'late.approved': {
    en: 'money reported after an approval first confirms it, up to the approved amount; only the excess is late, and only the unconfirmed rest is missing',
    ru: 'пришедшее после одобрения сначала подтверждает его, до одобренной суммы; позднее — только излишек, недостача — только остаток',
    of: 'late_transfers',
  },
  'late.returned': {
    en: 'returned money is recorded once, in the direction of its operation, and the part that exceeds its leg is stated',
    ru: 'ушедшее обратно записано один раз, в направлении своей операции, с указанием того, чего перевод не приносил',
    of: 'money_returned',
  },
  'late.overcharge': {
    en: 'an overcharge is recorded, with its figures, for each payout that cost more than agreed, and for no other',
    ru: 'о переплате сообщается для каждой выплаты, которая стоила больше согласованного, с её суммами, и ни для какой другой',
    of: 'payouts',
  },
  'late.suspense_missing': {
    en: 'late money is posted to suspense',
    ru: 'поздние деньги стоят на счёте невыясненных сумм',
    of: 'late_money',
  },
  'late.suspense_amounts': {
    en: 'suspense has exactly the late money, in its currency and direction',
    ru: 'на счёте невыясненных сумм — ровно поздние деньги, в их валюте и направлении',
    of: 'suspense',
  },
  'late.resolution': {
    en: 'a resolution moves exactly the amount in suspense to the account of its decision',
    ru: 'решение забирает ровно то, что стоит на счёте невыясненных сумм, на счёт этого решения',
    of: 'resolutions',
  },

  'adjustment.missing': {
    en: 'a requested adjustment is posted',
    ru: 'запрошенная корректировка проведена',
    of: 'adjustment_requests',
  },
  'adjustment.amounts': {
    en: 'an adjustment is of a shop and a currency that exist, moves the requested amount for the requested reason, in the name of its operator, and its record names its entry',
    ru: 'корректировка — магазина и валюты, которые есть; двигает то, что запрошено, с той же причиной и от имени того же оператора, и её отметка называет её запись',
    of: 'adjustments',
  },

  'receipts.not_owed': {
    en: 'receipts are recorded once, for an operation whose terminal status has money',
    ru: 'чеки подводятся один раз, для операции, которая завершилась деньгами',
    of: 'evidence',
  },
  'receipts.not_shown': {
    en: "legs serve as evidence only where a provider's report ended the operation, or an operator alone confirmed the money",
    ru: 'переводы — свидетельства там, где операцию завершил отчёт или поручился один человек',
    of: 'paid_ends',
  },
  'receipts.legs': {
    en: "receipts add up to exactly the operation's legs, with their provider and time",
    ru: 'чеки в сумме дают ровно переводы своей операции, с их провайдером и временем',
    of: 'evidence',
  },
  'receipts.status': {
    en: 'receipts are complete unless one of them is synthetic',
    ru: 'чеки полны, если ни один из них не синтетический',
    of: 'evidence',
  },

  'statement.whole': {
    en: "an import of a provider's statement has the lines, totals and digest that its last event states, and a unique number",
    ru: 'импорт выписки провайдера содержит строки, суммы и отпечаток, которые называет его конец, и имеет свой номер',
    of: 'statements',
  },
  'statement.closed': {
    en: 'a closed finding belongs to an imported statement, and refers to an existing line or leg, or to an operation',
    ru: 'закрытое расхождение относится к импортированной выписке и к строке или переводу, которые там есть',
    of: 'closed_findings',
  },
  'statement.books': {
    en: 'on a day with a statement, the ledger has the same money of an operation, at its account with the provider, as the operation counts',
    ru: 'в день, на который есть выписка, в книгах по счёту операции столько, сколько она учла',
    of: 'statements',
  },

  'payout_file.content': {
    en: 'a file of payouts is confirmed once, with the rows and totals of its check, and is finished with a result for each',
    ru: 'файл выплат подтверждают один раз, со строками и итогами проверки, и он закончен с результатом каждой строки',
    of: 'confirmed_files',
  },
  'payout_file.payouts': {
    en: 'a payout of a file equals its row, and the result of a row is that of its payout',
    ru: 'выплата из файла равна своей строке, а результат строки — результат её выплаты',
    of: 'confirmed_files',
  },
  'payout_file.standstill': {
    en: 'a shop’s confirmed files are finished; once it is their turn, no day passes without a result of a row',
    ru: 'подтверждённые файлы магазина исполняют до конца; когда подошла их очередь, суток без результата строки не бывает',
    of: 'confirmed_files',
  },

  'setup.order': {
    en: 'merchants, shops, keys, tokens, endpoints and provider accounts are created once, before they are used',
    ru: 'мерчанты, магазины, ключи, токены, адреса вебхуков и аккаунты у провайдеров заведены до использования, один раз',
    of: 'setup',
  },
  'setup.settings': {
    en: "a shop's settings and routes are ones that an operator can set",
    ru: 'настройки и маршруты магазина — такие, какие оператор может задать',
    of: 'setup',
  },
  'setup.secrets': {
    en: 'a key, token, sign-in link or secret is issued once, to one holder',
    ru: 'ключ, токен, ссылка для входа или секрет выдаются один раз и кому-то одному',
    of: 'setup',
  },

  'routing.route': {
    en: 'an attempt uses a route that its shop had when the operation began, with its provider, commission and conversion',
    ru: 'попытка идёт по маршруту, который был у магазина при начале операции: тот же провайдер, комиссия и конвертация',
    of: 'attempts',
  },

  'routing.order': {
    en: 'an attempt uses the next route that fits, by priority; a route is skipped as switched off only if it was',
    ru: 'попытка идёт по следующему подходящему маршруту, по приоритету; как выключенный пропускают только выключенный',
    of: 'attempts',
  },

  'routing.daily_limit': {
    en: 'no attempt is started on a route whose daily limit was already used up a minute before',
    ru: 'попытка не начинается на маршруте, дневной лимит которого был исчерпан за минуту до неё',
    of: 'attempts',
  },

  'routing.provider_off': {
    en: 'no attempt is started at a provider that an operator had switched off',
    ru: 'попытка не начинается у провайдера, которого оператор выключил',
    of: 'attempts',
  },

  'routing.account_off': {
    en: 'no attempt is started with an account that does not exist, or that an operator had switched off or removed',
    ru: 'попытка не начинается с аккаунтом, которого нет или который оператор выключил или удалил',
    of: 'attempts',
  },

  'authority.actor': {
    en: 'each event is written by an actor that is allowed to: a provider for its own attempts, an operator on command',
    ru: 'событие записал тот, кто вправе: провайдер — о своих попытках, оператор — по команде',
    of: 'events',
  },
  'authority.signer': {
    en: 'the service whose key signed an event may write it',
    ru: 'сервис, ключом которого подписано событие, вправе его записать',
    of: 'signatures',
  },
  'authority.role': {
    en: "a command's token is valid at that time, and has a role that allows it",
    ru: 'кто даёт команду, держит в это время токен роли, которой она разрешена',
    of: 'commands',
  },
  'authority.key': {
    en: "a merchant's event names a key that was issued to the shop and not revoked before",
    ru: 'действие мерчанта называет ключ, выданный магазину и не отозванный ранее',
    of: 'by_merchants',
  },
  'authority.token': {
    en: "an operator's command, and every event that follows from it, names the id of the token",
    ru: 'команда оператора и то, что из неё следует, называют токен по идентификатору',
    of: 'by_operators',
  },
  'authority.payer': {
    en: 'payers act only on the payment page',
    ru: 'плательщик действует только на платёжной странице',
    of: 'by_payers',
  },
  'authority.member': {
    en: 'a member acts within the role at that time and only in its shop, and signs in with a link issued to that member, once',
    ru: 'действие сотрудника — в пределах его роли и только его магазина, а вход — по выданной ему ссылке, один раз',
    of: 'by_members',
  },
  'authority.second_member': {
    en: 'while a shop needs a second member, no file of payouts is confirmed by one who may be behind its upload, nor by a key',
    ru: 'пока магазину нужен второй сотрудник, файл выплат не подтверждают ни ключ, ни тот, кто мог его загрузить',
    of: 'confirmed_files',
  },
  'authority.decision': {
    en: 'an operator ends an operation only by that operator’s own decision on it',
    ru: 'оператор завершает операцию только собственным решением о ней',
    of: 'by_operators',
  },
  'authority.amount': {
    en: 'only an admin approves more than the expected amount',
    ru: 'больше ожидаемой суммы одобряет только администратор',
    of: 'reviews',
  },

  'personal.in_clear': {
    en: 'personal data in an event is encrypted, since keys exist',
    ru: 'персональное в событии запечатано с тех пор, как есть ключи',
    of: 'with_personal',
  },
  'personal.key_missing': {
    en: 'encrypted data has a key that exists or was destroyed',
    ru: 'для запечатанного есть ключ, или он был уничтожен',
    of: 'with_personal',
  },
  'personal.client_key': {
    en: 'personal data is encrypted with a key of its own client, and an erasure destroys a key of its client',
    ru: 'персональное запечатано ключом своего клиента, и стирание уничтожает ключ своего клиента',
    of: 'with_personal',
  },
  'personal.key_destroyed': {
    en: 'a key is retired and destroyed only if an operator requested the erasure',
    ru: 'ключ выводят и уничтожают только там, где оператор запросил стирание',
    of: 'keys',
  },
  'personal.erasure': {
    en: 'an erasure is requested by an operator, destroys the key and then completes',
    ru: 'стирание запрашивает оператор, оно уничтожает ключ и затем заканчивается',
    of: 'erasures',
  },

  'report.signature': {
    en: 'a callback is stored as its provider signed it, and agrees with its events on operation, attempt, terms, legs, their times and outcome',
    ru: 'уведомление хранится так, как его подписал провайдер, и говорит об операции, попытке, условиях, переводах, их времени и исходе то же, что его события',
    of: 'callbacks',
  },

  'webhook.missing': {
    en: 'a message exists for every event that requires one',
    ru: 'сообщение есть для каждого события, которое его требует',
    of: 'messages',
  },
  'webhook.content': {
    en: 'a message has the content that is computed from the log for its event',
    ru: 'сообщение говорит то, что журнал даёт для его события',
    of: 'messages',
  },
  'webhook.surplus': {
    en: 'every message has an event that requires it',
    ru: 'нет сообщения, которого не требует ни одно событие',
    of: 'messages',
  },
  'webhook.delivery': {
    en: 'a delivered message has a successful attempt, attempts follow their event, and an endpoint fails from one of its attempts on',
    ru: 'у доставленного сообщения есть успешная попытка, попытки идут после события, а адрес не отвечает с одной из своих попыток',
    of: 'messages',
  },

  'read_model.missing': {
    en: 'every row computed from the log exists',
    ru: 'каждая строка, которую даёт журнал, на месте',
    of: 'rows',
  },
  'read_model.differs': {
    en: 'every row equals the row computed from the log, and every view is as the gateway made it',
    ru: 'каждая строка такова, какой её даёт журнал, а каждое представление — каким его сделал шлюз',
    of: 'rows',
  },
  'read_model.surplus': {
    en: 'no rows exist beyond those computed from the log',
    ru: 'нет строки, которой журнал не даёт',
    of: 'rows',
  },
  'read_model.stopped': {
    en: 'no read model has stopped at an event',
    ru: 'ни одна модель чтения не остановилась перед событием',
    of: 'read_models',
  },
  'read_model.ahead': {
    en: 'no read model has an event that the log does not have, and webhooks are not ahead of the log',
    ru: 'ни у одной модели чтения нет события, которого нет в журнале, и вебхуки его не обгоняют',
    of: 'read_models',
  },

  'receipt_file.content': {
    en: 'the stored file of an uploaded receipt has the SHA-256 that the log has of it',
    ru: 'у сохранённого файла загруженного чека тот SHA-256, который о нём есть в журнале',
    of: 'receipt_files',
  },

  'checkpoint.signature': {
    en: "a checkpoint has a valid signature by the auditor's key",
    ru: 'контрольная точка такова, какой её сделал подписавший, ключом, который держит аудитор',
    of: 'checkpoints',
  },
  'checkpoint.missing': {
    en: 'the checkpoint that the auditor expects exists, with a valid signature',
    ru: 'контрольная точка, которую ждёт аудитор, на месте и такова, какой её сделал подписавший',
    of: 'checkpoints',
  },
  'checkpoint.rewritten': {
    en: 'the log up to a checkpoint is byte for byte the log that was signed',
    ru: 'журнал до контрольной точки — байт в байт тот же, что был тогда',
    of: 'checkpoints',
  },
  'checkpoint.recorded': {
    en: 'the log up to each recorded audit is byte for byte the log that it read, signatures included',
    ru: 'журнал до каждого записанного аудита — байт в байт тот же, что он прочёл, вместе с подписями',
    of: 'recorded_audits',
  },
} as const satisfies Record<string, Rule>;

export type RuleCode = keyof typeof rules;
export const ruleCodes = Object.keys(rules) as RuleCode[];

export const isRuleCode = (code: string): code is RuleCode => Object.hasOwn(rules, code);
