import { jsonEvent } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';

const encoder = new TextEncoder();

/**
 * The two events of the minimal server and the bare client, as large as those of a real payment.
 */
export function admittedEvent(operationId: string, merchantOperationId: string) {
  return sampleEvent('OperationAdmitted', {
    operation_id: operationId,
    shop_id: 'f2b3a0e4-6a3c-4a58-9d0c-2f3b0f6d8a11',
    merchant_id: '0a4f2f9c-54b8-4c9c-8b43-7f5f8f0f2d55',
    type: 'payment',
    merchant_operation_id: merchantOperationId,
    body_hash: { rest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
    request: { client_id: 'client-1', method: 'WT_RUB_C2C', amount: '100.00', currency: 'RUB' },
    accept_until: new Date().toISOString(),
    endpoint: '/v1/payment',
    api_version: 'v1',
  });
}

export function acceptedEvent(reference: string, requisites: object) {
  return sampleEvent('AttemptAccepted', {
    attempt: 1,
    provider_reference: reference,
    requisites,
    confirmation_required: false,
  });
}

function sampleEvent(type: string, data: object) {
  const metadata = {
    correlation_id: randomUUID(),
    request_id: randomUUID(),
    actor: 'merchant:f2b3a0e4-6a3c-4a58-9d0c-2f3b0f6d8a11',
    key_id: '3a8c8a5e-1f0f-4f43-9d5a-7a4f6f4f9b21',
    schema_version: 1,
  };
  return {
    ...jsonEvent({ type, data: data as never }),
    metadata: encoder.encode(JSON.stringify(metadata)),
  };
}
