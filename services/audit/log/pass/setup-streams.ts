import { decodeDirectoryEvent } from '#shared/application/directory/stream.ts';
import { decodeAuditEvent } from '#shared/domain/audit/events.ts';
import { decodeKeyUseEvent } from '#shared/domain/key-use/events.ts';
import { decodeLogEvent } from '#shared/domain/log/events.ts';
import { decodeOperatorEvent } from '#shared/domain/operator/events.ts';
import {
  decodeProviderEvent,
  providerStream,
  type ProviderAccountEvent,
} from '#shared/domain/provider/events.ts';
import { decodePayoutBatchEvent, streamOfBatchEvent } from '#shared/domain/payout-batch/events.ts';
import { decodeStatementEvent, statementStream } from '#shared/domain/statements/events.ts';
import { decodeWebhookCommand } from '#shared/domain/webhook/events.ts';
import { reportViolation, type Seen } from '../../report/findings/report-violation.ts';
import { judgeSealedRows } from '../personal/judge-personal.ts';
import type { Context } from './context.ts';

/** The streams without money: they must be readable and in order. */
export function createSetupStreams() {
  const tokens = new Set<string>();
  return {
    operators: (context: Context, seen: Seen): void => {
      const { type, data } = decodeOperatorEvent(seen);
      const known = tokens.has(data.token_id);
      const blame = (message: string) =>
        reportViolation(context, seen, { rule: 'setup.order', message });
      if (type === 'AdminTokenIssued' && known) blame(`token ${data.token_id} is issued twice`);
      if (type === 'AdminTokenRevoked' && !known)
        blame(`token ${data.token_id} is revoked but was never issued`);
      tokens.add(data.token_id);
    },
    webhookCommands: (_context: Context, seen: Seen): void => void decodeWebhookCommand(seen),
    directory: (context: Context, seen: Seen): void => {
      const event = decodeDirectoryEvent(seen);
      if (event.type !== 'SetupChanged') {
        const { actor, atMs } = seen;
        if ('account' in event.data)
          context.reports.takeAccount(event as ProviderAccountEvent, {
            createdIso: new Date(atMs).toISOString(),
            actor,
          });
        return context.switches.take(event, atMs);
      }
      const { shop_id: shopId, api_key: key } = event.data;
      const shop = context.shops.find(shopId);
      const blame = (message: string) =>
        reportViolation(context, seen, { rule: 'setup.order', message, shopId });
      if (!shop) blame(`a change of shop ${shopId}, which is not there, is announced`);
      else if (key && !shop.keys.has(key.key_id))
        blame(`key ${key.key_id} is announced but was never issued`);
    },
    provider: (context: Context, seen: Seen): void => {
      const { data } = decodeProviderEvent(seen);
      const stream = providerStream(data.provider);
      if (stream !== seen.event.stream)
        reportViolation(context, seen, {
          rule: 'log.wrong_stream',
          message: `it belongs to ${stream}`,
        });
    },
    statement: (context: Context, seen: Seen): void => {
      const stream = statementStream(decodeStatementEvent(seen).data);
      if (stream !== seen.event.stream)
        return reportViolation(context, seen, {
          rule: 'log.wrong_stream',
          message: `it belongs to ${stream}`,
        });
      context.statements.take(context, seen);
      context.rows.statement(seen);
    },
    payoutBatch: (context: Context, seen: Seen): void => {
      const event = decodePayoutBatchEvent(seen);
      const stream = streamOfBatchEvent(event);
      if (stream !== seen.event.stream)
        return reportViolation(context, seen, {
          rule: 'log.wrong_stream',
          message: `it belongs to ${stream}`,
          shopId: event.data.shop_id,
        });
      if (event.type === 'PayoutBatchConfirmed')
        context.confirmedBatches.set(seen.event.id, event.data.shop_id);
      if (event.type === 'PayoutBatchRowsStored') judgeSealedRows(context, seen, event.data);
    },
    keyUse: (_context: Context, seen: Seen): void => void decodeKeyUseEvent(seen),
    log: (_context: Context, seen: Seen): void => void decodeLogEvent(seen),
    audit: (_context: Context, seen: Seen): void => void decodeAuditEvent(seen),
  };
}
