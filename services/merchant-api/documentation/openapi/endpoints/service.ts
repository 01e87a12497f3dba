import type { Endpoint } from '../endpoint.ts';

const probe = (path: string, { id, summary }: { id: string; summary: string }): Endpoint => ({
  method: 'get',
  path,
  id,
  tag: 'Service',
  summary,
  description: 'Needs no key.',
  needsKey: false,
  answer: { status: 204, description: 'Healthy' },
  problems: ['not_ready'],
});

const uuid = { type: 'string', format: 'uuid' };

export const serviceEndpoints: readonly Endpoint[] = [
  {
    method: 'get',
    path: '/receipts/{operation_id}/{receipt_id}',
    id: 'downloadReceipt',
    tag: 'Operations',
    summary: 'Download a receipt',
    description:
      'The `receipt_url` of a receipt: use it as it is, it needs no key. It works for 15 minutes; read the operation again for a new one.',
    needsKey: false,
    parameters: [
      { name: 'operation_id', in: 'path', description: 'The operation.', schema: uuid },
      { name: 'receipt_id', in: 'path', description: 'The receipt.', schema: { type: 'string' } },
      {
        name: 'expires',
        in: 'query',
        description: 'When the link expires, in seconds since 1970.',
        schema: { type: 'string' },
      },
      {
        name: 'signature',
        in: 'query',
        description: 'Signs the rest of the link.',
        schema: { type: 'string' },
      },
    ],
    answer: {
      status: 200,
      description: 'The file',
      contentTypes: ['application/pdf', 'image/png', 'image/jpeg', 'application/octet-stream'],
    },
    problems: [
      'receipt_url_invalid',
      'internal_error',
      'receipt_evidence_unavailable',
      'not_ready',
    ],
  },
  probe('/livez', { id: 'isLive', summary: 'Ask whether the process works' }),
  probe('/healthz', { id: 'isHealthy', summary: 'The same as /readyz' }),
  probe('/readyz', { id: 'isReady', summary: 'Ask whether the gateway can do its work' }),
];
