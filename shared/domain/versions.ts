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
  const ownOf = (name: unknown) =>
    typeof name === 'string' && name.startsWith(before) ? name.slice(before.length) : undefined;
  const id = ownOf((leg as { leg_id?: unknown } | undefined)?.leg_id ?? leg_id);
  const of = ownOf(of_leg_id);
  return {
    ...(data as object),
    ...(id !== undefined && { provider_leg_id: id, or_leg_id: true }),
    ...(of !== undefined && { of_leg_id: of, or_of_leg_id: of_leg_id }),
  };
};

/**
 * The conversions of each type: the first is from version 1 to 2, and so on. Every change of shape,
 * even one more optional field, is a new version, because an older program would drop a field that
 * it does not know, and decide without it.
 */
const upcasts: Readonly<Record<string, readonly Upcast[]>> = {
  // 2: what is personal is sealed. 3: it is in no bare hash; endpoint and API version.
  // 4: the merchant's metadata.
  OperationAdmitted: [unchanged, hashOfAllFields, unchanged],
  // 2: what is personal is sealed. 3: with the purpose that a payer has to write.
  AttemptAccepted: [unchanged, unchanged],
  // 2: what there was where the ledger had too little.
  AttemptRefused: [unchanged],
  // 2: with the version of the provider's report that brought it.
  LegReceived: [unchanged],
  // 3: whether its legs are the whole evidence.
  OperationCompleted: [unchanged, unchanged],
  OperationPartiallyCompleted: [unchanged, unchanged],
  // 2: whether the provider reported it as open.
  CloseDecided: [unchanged],
  // 2: the account that the route goes by, and its daily limits.
  RoutesReplaced: [unchanged],
  AttemptStarted: [unchanged],
  // 2: also because a provider fails. 3: also because an account is off, and by a route's daily
  // limit.
  RoutesSkipped: [unchanged, unchanged],
  // 3: also because every route was skipped. 4: also because they are full.
  OperationDeclined: [unchanged, unchanged, unchanged],
  OperationExpired: [unchanged],
  // 2: with the version of the report. 3: with the provider's own id.
  LateMoneyReceived: [unchanged, withOwnId],
  // 2: with the provider's own id.
  ApprovedMoneyConfirmed: [withOwnId],
  // 3: with the total returned so far.
  MoneyReturned: [withOwnId, unchanged],
  // 2: also of what went back. 3: a leg's amounts are as it came, with what went back of it.
  // 4: with the provider's own id.
  LateLegCorrected: [unchanged, unchanged, withOwnId],
  // 2: whether of payments or payouts.
  // 3: the account with it.
  ProviderBreakerOpened: [unchanged, unchanged],
  ProviderBreakerClosed: [unchanged, unchanged],
  // 2: which endpoint of several, its types and its description.
  WebhookConfigured: [unchanged],
  WebhookDisabled: [unchanged],
  WebhookSecretIssued: [unchanged],
  // 2: what the shop shows to payers. 3: whether files of payouts need a second member.
  ShopCreated: [unchanged, unchanged],
  ShopChanged: [unchanged, unchanged],
  // 2: until when, from where and for what it works.
  ApiKeyIssued: [unchanged],
  // 2: it has its causing event, the provider, and what was converted. 3: and of which leg
  // late money went back.
  EntryPosted: [unchanged, unchanged],
  // 2: also by endpoint and type.
  WebhookRedeliveriesRequested: [unchanged],
  // 2: the finding's amounts when it was closed.
  StatementFindingClosed: [unchanged],
  // 2: open operations, money by currency, callbacks.
  AuditRan: [unchanged],
};

/** The version that an event of this type is written in. */
export function newestVersion(type: string): number {
  return 1 + upcastsOf(type).length;
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
  for (const step of upcastsOf(type).slice(version - 1)) upcasted = step(upcasted);
  return upcasted;
}

function upcastsOf(type: string): readonly Upcast[] {
  return Object.hasOwn(upcasts, type) ? (upcasts[type] ?? []) : [];
}
