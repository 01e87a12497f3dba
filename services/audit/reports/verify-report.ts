import type { KeyObject } from 'node:crypto';
import type { KeptReport } from '#shared/platform/event-store/types.ts';
import { openReport } from '#shared/application/personal-data/kept-report.ts';
import type { MasterKeys, Wrapped } from '#shared/application/personal-data/master-keys.ts';
import { hasSignature, secretHint, secretKey } from '#shared/platform/standard-webhooks.ts';
import type { Seen } from '../findings/accuse.ts';
import { sealedPattern } from '../personal/sealed-pattern.ts';

/** What an auditor needs to read what providers signed: their secrets, by hint, and what wraps the clients' keys. */
export type ReportKeys = {
  secrets: ReadonlyMap<string, { provider: string; key: Buffer }>;
  masters: Pick<MasterKeys, 'unwrap'>;
};

export const reportKeys = (
  secrets: readonly { provider: string; secret: string }[],
  masters: ReportKeys['masters'],
): ReportKeys => ({
  secrets: new Map(
    secrets.map(({ provider, secret }) => [secretHint(secret), { provider, key: secretKey(secret) }]),
  ),
  masters,
});

type Sealed = { report: KeptReport & { sealed: string }; wrapped: Wrapped };

/** Whether a callback is kept as its provider signed it, and tells of the event that it is kept with. */
export function verifyReport(
  { event, type, data, actor }: Pick<Seen, 'event' | 'type' | 'data' | 'actor'>,
  { report, wrapped }: Sealed,
  { secrets, masters }: ReportKeys,
): 'verified' | 'no_secret' | 'no_master_key' | { problem: string } {
  const operationId = event.stream.slice(event.stream.indexOf('-') + 1);
  let key: KeyObject;
  try {
    key = masters.unwrap(sealedPattern.exec(report.sealed)?.[1] ?? '', wrapped);
  } catch {
    return 'no_master_key';
  }
  let opened: ReturnType<typeof openReport>;
  try {
    opened = openReport(operationId, report, key);
  } catch {
    return { problem: 'the callback can not be opened: it was altered, or is of another operation' };
  }
  const secret = secrets.get(report.secret_hint);
  if (!secret) return 'no_secret';
  if (actor !== `provider:${secret.provider}`)
    return { problem: `${actor} did not sign it, but ${secret.provider}` };
  const { id, timestamp } = report;
  if (!hasSignature(opened.signature, { id, timestamp, body: opened.body }, secret.key))
    return { problem: 'it is not what the provider signed' };
  const problem = whyNotOf({ operationId, type, data }, opened.body);
  return problem === undefined ? 'verified' : { problem };
}

type Told = { operation_id?: unknown; legs?: unknown };
type Leg = { leg_id: string; amount: string };
type TellsLegs = { leg?: Leg; legs?: readonly Leg[] };

/** The event says nothing of money that the provider did not. By the words of the one provider that there is. */
function whyNotOf(
  { operationId, type, data }: { operationId: string; type: string; data: unknown },
  body: Buffer,
): string | undefined {
  let told: Told;
  try {
    told = JSON.parse(body.toString('utf8')) as Told;
  } catch {
    return 'the provider signed no JSON';
  }
  if (told.operation_id !== operationId)
    return `the provider signed a report of operation ${String(told.operation_id)}`;
  const legs = Array.isArray(told.legs) ? (told.legs as Leg[]) : [];
  for (const { leg_id: id, amount } of legsIn(type, data as TellsLegs)) {
    const signed = legs.find((leg) => leg.leg_id === id)?.amount;
    if (signed !== amount) return `leg ${id} has ${amount}, the provider signed ${signed ?? 'none'}`;
  }
  return undefined;
}

/** As they are in an event that takes them over from a report. */
function legsIn(type: string, { leg, legs }: TellsLegs): readonly Leg[] {
  if (type === 'LegReceived') return leg ? [leg] : [];
  return isEnd.has(type) ? (legs ?? []) : [];
}

const isEnd: ReadonlySet<string> = new Set(['OperationCompleted', 'OperationPartiallyCompleted']);
