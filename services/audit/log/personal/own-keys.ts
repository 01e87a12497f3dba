import { personalKeyId } from '#shared/application/personal-data/keys.ts';
import type { OperationFacts } from '../operation/fold.ts';
import type { AuditContext } from '../pass/context.ts';

/** A client, by its shop and the shop's own id for it. */
export type ClientRef = Pick<OperationFacts, 'shopId' | 'clientId'>;

export const clientKey = ({ shopId, clientId }: ClientRef): string => `${shopId} ${clientId}`;

/** The keys that a client may have had by now: each erasure ends one. */
export function* listKeyIds(
  { reports }: Pick<AuditContext, 'reports'>,
  { shopId, clientId }: ClientRef,
): Generator<string> {
  const erasures = reports.erasures.get(clientKey({ shopId, clientId })) ?? 0;
  for (let generation = 0; generation <= erasures; generation += 1)
    yield personalKeyId({ shopId, clientId }, generation);
}

/** Whether a key is one of the client's own. */
export function isItsKey(
  context: Pick<AuditContext, 'reports'>,
  client: ClientRef,
  keyId: string,
): boolean {
  for (const own of listKeyIds(context, client)) if (own === keyId) return true;
  return false;
}
