/** Converts an event's content from one version to the next. */
type Upcast = (data: unknown) => unknown;

/** Plain text of version 1 stays so: there is no key that it could be encrypted with. */
const unchanged: Upcast = (data) => data;

const hashOfAllFields: Upcast = (data) => {
  const admitted = data as { body_hash?: unknown };
  return { ...admitted, body_hash: { whole: admitted.body_hash } };
};

/**
 * Before the provider's id had its own field, an id that money of another account already had was
 * written with the attempt before it, as in `2:id`. A provider may itself give such an id, and the
 * event does not show which it is, so both are recognised (`or_…`). A repeat is then never counted
 * as new money; only the id that is shown, and by which statements are matched, may be wrong.
 */
const withOwnId: Upcast = (data) => {
  const { attempt, leg, leg_id, of_leg_id } = data as Readonly<Record<string, unknown>>;
  const before = `${String(attempt)}:`;
  const ownId = (name: unknown) =>
    typeof name === 'string' && name.startsWith(before) ? name.slice(before.length) : undefined;
  const id = ownId((leg as { leg_id?: unknown } | undefined)?.leg_id ?? leg_id);
  const of = ownId(of_leg_id);
  return {
    ...(data as object),
    ...(id !== undefined && { provider_leg_id: id, or_leg_id: true }),
    ...(of !== undefined && { of_leg_id: of, or_of_leg_id: of_leg_id }),
  };
};

/** Version 1 signed one tree of a shop's entries in all currencies. */
const ofAllCurrencies: Upcast = (data) => ({ ...(data as object), currency: null });

/** A version of a type. `since`: the day from which on programs write it. */
type Version = { since: string; upcast: Upcast };
const from = (since: string, convert: Upcast = unchanged): Version => ({ since, upcast: convert });

/**
 * The versions of each type after the first, with the conversion from the one before. Every change
 * of shape, even one more optional field, is a new version, because an older program would drop a
 * field that it does not know, and decide without it.
 */
const versions: Readonly<Record<string, readonly Version[]>> = {
  // 2: what is personal is sealed. 3: it is in no bare hash; endpoint and API version.
  // 4: the merchant's metadata.
  OperationAdmitted: [from('2026-11-22'), from('2026-11-22', hashOfAllFields), from('2026-11-27')],
  // 2: what is personal is sealed. 3: with the purpose that a payer has to write.
  AttemptAccepted: [from('2026-11-22'), from('2026-11-27')],
  // 2: what there was where the ledger had too little.
  AttemptRefused: [from('2026-11-23')],
  // 2: with the version of the provider's report that brought it.
  LegReceived: [from('2026-11-22')],
  // 3: whether its legs are the whole evidence.
  OperationCompleted: [from('2026-11-22'), from('2026-11-23')],
  OperationPartiallyCompleted: [from('2026-11-22'), from('2026-11-23')],
  // 2: whether the provider reported it as open.
  CloseDecided: [from('2026-11-27')],
  // 2: the account that the route goes by, and its daily limits.
  RoutesReplaced: [from('2026-11-23')],
  AttemptStarted: [from('2026-11-23')],
  // 2: also because a provider fails. 3: also because an account is off, and by a route's daily
  // limit.
  RoutesSkipped: [from('2026-11-23'), from('2026-11-23')],
  // 3: also because every route was skipped. 4: also because they are full.
  OperationDeclined: [from('2026-11-22'), from('2026-11-23'), from('2026-11-23')],
  OperationExpired: [from('2026-11-22')],
  // 2: with the version of the report. 3: with the provider's own id.
  LateMoneyReceived: [from('2026-11-22'), from('2026-11-26', withOwnId)],
  // 2: with the provider's own id. 3: also as a correction of other money.
  ApprovedMoneyConfirmed: [from('2026-11-26', withOwnId), from('2026-11-29')],
  // 3: with the total returned so far.
  MoneyReturned: [from('2026-11-26', withOwnId), from('2026-11-27')],
  // 2: also of what went back. 3: a leg's amounts are as it came, with what went back of it.
  // 4: with the provider's own id.
  LateLegCorrected: [from('2026-11-23'), from('2026-11-23'), from('2026-11-26', withOwnId)],
  // 2: whether of payments or payouts.
  // 3: the account with it.
  ProviderBreakerOpened: [from('2026-11-23'), from('2026-11-23')],
  ProviderBreakerClosed: [from('2026-11-23'), from('2026-11-23')],
  // 2: which endpoint of several, its types and its description.
  WebhookConfigured: [from('2026-11-27')],
  WebhookDisabled: [from('2026-11-27')],
  WebhookSecretIssued: [from('2026-11-27')],
  // 2: what the shop shows to payers. 3: whether files of payouts need a second member.
  ShopCreated: [from('2026-11-23'), from('2026-11-27')],
  ShopChanged: [from('2026-11-23'), from('2026-11-27')],
  // 2: until when, from where and for what it works.
  ApiKeyIssued: [from('2026-11-27')],
  // 2: the file's name and hash. 3: errors name their cells. 4: and the operation that has the ID.
  PayoutBatchChecked: [from('2026-11-30'), from('2026-11-30'), from('2026-11-30')],
  // 2: its entry is in the name of the operator who requested it.
  AdjustmentRequested: [from('2026-11-29')],
  // 2: it has its causing event, the provider, and what was converted. 3: and of which leg
  // late money went back. 4: the service that requests it signs it.
  EntryPosted: [from('2026-11-23'), from('2026-11-23'), from('2026-11-30')],
  // 2: of a ledger, with the time that it covers.
  CheckpointSigned: [from('2026-11-29', ofAllCurrencies)],
  // 2: also by endpoint and type.
  WebhookRedeliveriesRequested: [from('2026-11-27')],
  // 2: the finding's amounts when it was closed.
  StatementFindingClosed: [from('2026-11-23')],
  // 2: open operations, money by currency, callbacks. 3: since when events are signed.
  AuditRan: [from('2026-11-27'), from('2026-11-30')],
};

/** The version that an event of this type is written in. */
export function newestVersion(type: string): number {
  return 1 + laterVersions(type).length;
}

/** An event's content as the newest version has it. `version` must be one that there is. */
export function upcast({
  type,
  version,
  data,
}: {
  type: string;
  version: number;
  data: unknown;
}): unknown {
  let upcasted = data;
  for (const step of laterVersions(type).slice(version - 1)) upcasted = step.upcast(upcasted);
  return upcasted;
}

export type WrittenVersion = { type: string; version: number };

/** The day from which on programs write this version; undefined for the first one. */
export const writtenSince = ({ type, version }: WrittenVersion): string | undefined =>
  laterVersions(type)[version - 2]?.since;

/** The day from which on programs write the next version; undefined for the newest one. */
export const writtenUntil = ({ type, version }: WrittenVersion): string | undefined =>
  laterVersions(type)[version - 1]?.since;

/**
 * Whether every program that can read `earlier` writes events of the other's type in a newer
 * version. Versions of one day may be of programs that are as old, except of the same type.
 */
export function isOutdatedBy(event: WrittenVersion, earlier: WrittenVersion): boolean {
  if (event.type === earlier.type) return event.version < earlier.version;
  const [until, since] = [writtenUntil(event), writtenSince(earlier)];
  return until !== undefined && since !== undefined && until < since;
}

function laterVersions(type: string): readonly Version[] {
  return Object.hasOwn(versions, type) ? (versions[type] ?? []) : [];
}
