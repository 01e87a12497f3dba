import type { EndpointText } from '../endpoint.ts';

const probe = (path: string, { id, summary }: { id: string; summary: string }): EndpointText => ({
  method: 'get',
  path,
  id,
  tag: 'Service',
  summary,
  description: 'Needs no API key.',
  answer: { status: 204, description: 'Healthy' },
  problems: ['not_ready'],
});

const uuid = { type: 'string', format: 'uuid' };

export const serviceEndpoints: readonly EndpointText[] = [
  {
    method: 'get',
    path: '/receipts/{operation_id}/{receipt_id}',
    id: 'downloadReceipt',
    tag: 'Operations',
    summary: 'Download a receipt',
    description:
      'The `receipt_url` of a receipt: use it unchanged; it needs no API key. It is valid for 15 minutes; read the operation again for a new one.',
    parameters: [
      { name: 'operation_id', in: 'path', description: 'The id of the operation.', schema: uuid },
      {
        name: 'receipt_id',
        in: 'path',
        description: 'The id of the receipt.',
        schema: { type: 'string' },
      },
      {
        name: 'expires',
        in: 'query',
        description: 'The expiry time of the link, in seconds since 1970.',
        schema: { type: 'string' },
      },
      {
        name: 'signature',
        in: 'query',
        description: 'The signature of the link.',
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
  probe('/livez', { id: 'isLive', summary: 'Check whether the process is running' }),
  probe('/healthz', { id: 'isHealthy', summary: 'The same as /readyz' }),
  probe('/readyz', { id: 'isReady', summary: 'Check whether the gateway can serve requests' }),
];
