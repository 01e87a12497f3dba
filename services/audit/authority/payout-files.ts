import type { PayoutBatchEvent } from '#shared/domain/payout-batch/events.ts';
import { createFlag, type EventEnvelope } from '../report/findings/report-violation.ts';
import type { Report } from '../report/findings/findings.ts';
import { neededSecondMember, type Shops } from '../log/pass/shops.ts';
import { graceMs } from './commands.ts';
import { isMembers } from './members.ts';

type Author = Pick<EventEnvelope, 'actor' | 'keyId' | 'linkIssuers'>;

export type PayoutFileAuthority = ReturnType<typeof createPayoutFileAuthority>;

/** Who uploaded and confirmed the files of payouts. */
export function createPayoutFileAuthority() {
  const uploads = new Map<string, Author>();
  const confirmations = new Map<string, string>();
  return {
    /** Checks that a file is confirmed by as many people as its shop needs (R24.7). */
    take: (
      context: { report: Report; shops: Shops },
      envelope: EventEnvelope,
      { type, data }: PayoutBatchEvent,
    ): void => {
      const { batch_id: batchId, shop_id: shopId } = data;
      const { actor, keyId, linkIssuers } = envelope;
      if (type === 'PayoutBatchChecked')
        uploads.set(batchId, {
          actor,
          ...(keyId && { keyId }),
          ...(linkIssuers && { linkIssuers }),
        });
      if (type !== 'PayoutBatchConfirmed') return;
      confirmations.set(envelope.event.id, shopId);
      const shop = context.shops.find(shopId);
      if (!shop || !neededSecondMember(shop, { from: envelope.atMs - graceMs, to: envelope.atMs }))
        return;
      const message = whyNotTwo(uploads.get(batchId), envelope, shop.keyIssuers);
      createFlag(context, envelope, shopId)('authority.second_member', message);
    },
    /** The shop of the file that an event confirmed. */
    shopOf: (confirmationId: string) => confirmations.get(confirmationId),
  };
}

function whyNotTwo(
  upload: Author | undefined,
  confirmation: Author,
  keyIssuers: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const { actor } = confirmation;
  if (!upload) return `${actor} confirms a file without an upload`;
  if (!isMembers(confirmation)) return `${actor}, which is no member, confirms a file`;
  const behind = ({ keyId = '', linkIssuers = [], ...author }: Author) =>
    [author.actor, ...linkIssuers, ...(keyIssuers.get(keyId) ?? [])].filter((each) =>
      isMembers({ actor: each }),
    );
  const uploaders = behind(upload);
  const one = behind(confirmation).find((member) => uploaders.includes(member));
  return one && `${actor} confirms a file of ${upload.actor}, and ${one} may be behind both`;
}
