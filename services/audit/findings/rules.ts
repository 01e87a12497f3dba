/**
 * Every rule that the audit holds the gateway against, by the code under which a violation is
 * named. What each means and where it comes from: docs/analysts/audit.md (a test compares the two).
 */
export const rules = {
  'log.position_order': 'positions in the log only grow',
  'log.revision_gap': 'the revisions of a stream count from 0 without gap or repeat',
  'log.duplicate_event_id': 'no two events have one id',
  'log.undecodable': 'every event is of a known stream and type, and its content of its schema',
  'log.newer_version':
    'every event is of a version that this program reads; the audit ends at one that is not',
  'log.metadata': 'every event says who caused it and belongs to what',
  'log.wrong_stream': "an event's content belongs to the stream that it stands in",
  'log.truncated': 'no stream that history rests on is deleted, truncated or aged out',

  'operation.admission_first':
    'an operation begins with its one admission, or with a cancel that came before it',
  'operation.unknown_shop': 'an operation belongs to a shop that was set up before it',
  'operation.id': "an operation's id is made of its shop's secret and its merchant_operation_id",
  'operation.illegal_transition': 'each event is one that the state before it permits',
  'operation.second_end': 'an operation ends once',
  'operation.event_after_end': 'only late withdrawals follow an end in its stream',
  'operation.requisites_after_cancel': 'a cancellation that won is followed by no requisites',
  'operation.payout_cancelled': 'no payout is cancelled or expires',
  'operation.payout_declined_unknown': 'a payout whose provider may have taken it is not declined',
  'operation.legs': 'the money of an end is the sum of its legs, each counted once',
  'operation.end_kind':
    'completed has all the money that was expected, partially_completed less, other ends none',
  'operation.figures':
    'recorded, commission and settlement follow from money, rate and route by the rounding rule',
  'operation.reserved_amount':
    "a payout's request for funds is its expected settlement in the ledger's currency",
  'operation.overdue': 'nothing stays open without a timer, a provider or a person to wait for',

  'ledger.unbalanced': "an entry's legs add up to zero",
  'ledger.legs':
    'an entry names an account once, moves something on it, and only on the accounts of its kind',
  'ledger.totals': "a ledger's accounts add up to zero after every entry",
  'ledger.position': 'balance_after and reserved_after are those of the entry before, plus its own legs',
  'ledger.reserved_negative': 'what is set aside is never negative',
  'ledger.floor': 'no reserve takes the balance below the overdraft limit in force',
  'ledger.posted_twice': 'an entry of one reference and kind stands once',
  'ledger.not_owed': 'every entry has the event that owes it before it, of the same shop and currency',
  'ledger.cause':
    'an entry says which event owes it, through which provider, and what was converted at which rate',
  'ledger.reservation_end':
    'a reservation ends once, for exactly what it set aside, and is not made after that',

  'reservation.amount': 'a reserve sets aside what its payout requested',
  'reservation.not_made': 'no payout is dispatched before the ledger holds its reservation',
  'reservation.not_closed': 'every reservation that was requested is closed once its payout has ended',
  'settlement.missing': 'an operation that ended with money is settled in the ledger',
  'settlement.amounts': "a settlement's legs are the figures of the operation's end",

  'late.unknown': 'a late fact is of an operation that was admitted, and of one of its attempts',
  'late.twice': 'a late transfer is recorded once, and is not also counted for the operation',
  'late.approved':
    'what comes after an approval confirms it first, up to what was approved; only the excess is late',
  'late.overcharge': 'an overcharge is told of a payout that cost more than agreed, with its figures',
  'late.suspense_missing': 'late money is in suspense',
  'late.suspense_amounts': 'suspense holds just the late money, in its currency and direction',
  'late.resolution': 'a resolution takes back just what stands in suspense, to the account of its decision',

  'adjustment.missing': 'an adjustment that was requested is posted',
  'adjustment.amounts': 'an adjustment moves what was requested, and its note names its entry',

  'receipts.not_owed': 'receipts are settled once, for an operation that ended with money',
  'receipts.not_shown': 'legs are the evidence where a report ended the operation, or a person alone vouched',
  'receipts.legs': 'receipts add up to exactly the legs of their operation',
  'receipts.status': 'receipts are complete unless one of them is synthetic',

  'setup.order': 'merchants, shops, keys and tokens are made before they are used, once',

  'routing.provider_off': 'no attempt is started at a provider that an operator had switched off',

  'authority.actor':
    'an event is written by one who may write it: a provider for its own attempts, an operator on command',
  'authority.role': 'whoever gives a command holds a token then, of a role that may give it',
  'authority.key': 'what a merchant does names a key that was issued to the shop, and not revoked before',
  'authority.token': "an operator's command, and what follows from it, names the token by id",
  'authority.payer': 'a payer acts on the payment page alone',
  'authority.amount': 'an admin alone approves more money than was expected',

  'personal.in_clear': 'what is personal in an event is sealed, since there are keys',
  'personal.key_missing': 'what is sealed has a key, or one that was destroyed',
  'personal.key_destroyed': 'a key is retired and destroyed only where an operator asked for its erasure',
  'personal.erasure': 'an erasure is asked for by an operator, destroys the key and then ends',

  'report.signature':
    'a callback is kept as its provider signed it, and says of operation, attempt, legs and outcome what its events say',

  'webhook.missing': 'a message exists for every event that owes one',
  'webhook.content': 'a message says what the log gives for its event',
  'webhook.surplus': 'no message exists that no event owes',

  'read_model.missing': 'every row that the log gives is there',
  'read_model.differs': 'every row is as the log gives it',
  'read_model.surplus': 'no row is there that the log does not give',
  'read_model.stopped': 'no read model has stopped before an event',
  'read_model.ahead': 'no read model has an event that the log does not have',

  'checkpoint.signature': 'a checkpoint is as its signer made it, with the key that the auditor holds',
  'checkpoint.rewritten': 'the log up to a checkpoint is, byte by byte, what it was then',
} as const;

export type RuleCode = keyof typeof rules;
export const ruleCodes = Object.keys(rules) as RuleCode[];
