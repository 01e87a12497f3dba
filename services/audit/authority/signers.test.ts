import { expect, it } from 'vitest';
import { judgeSigner } from './signers.ts';

/** The rules that an event violates, signed by the key of a service in its own name. */
function violated(signer: string, type: string): string[] {
  const rules: string[] = [];
  const report = ({ rule }: { rule: string }) => void rules.push(rule);
  const event = { stream: 'any', revision: 0, position: 1 };
  const envelope = { signer, type, actor: `service:${signer}`, event, data: {} };
  judgeSigner({ report }, envelope as never, undefined);
  return rules;
}

it.each([
  ['portal', 'CheckpointRequested'],
  ['merchant-api', 'CheckpointRequested'],
  ['projections', 'CheckpointSigned'],
  ['webhooks', 'WebhookDisabled'],
  ['webhooks', 'LogKeyBegan'],
  ['merchant-api', 'PayoutBatchFinished'],
])('lets %s sign %s (R18.17)', (signer, type) => {
  expect(violated(signer, type)).toEqual([]);
});

it.each([
  ['portal', 'OperationCompleted'],
  ['webhooks', 'OperationCompleted'],
  ['merchant-api', 'CheckpointSigned'],
  ['merchant-api', 'OperationCompleted'],
  ['merchant-api', 'LateMoneyReceived'],
  ['payment-page', 'OperationCompleted'],
  ['payment-page', 'PersonalKeyCreated'],
])('does not let %s sign %s (R18.17)', (signer, type) => {
  expect(violated(signer, type)).toEqual(['authority.signer']);
});
