import { request, type IncomingMessage } from 'node:http';
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { serveApp } from '#shared/platform/http/testing/serve-app.ts';
import { toNewEvents } from '#shared/application/commands/new-events.ts';
import { receiptKey } from '#shared/application/receipts/store.ts';
import { operationStream } from '#shared/domain/operation/events.ts';
import { maxReceiptBytes } from '#shared/domain/operation/receipt/upload.ts';
import { useGateway } from '../../testing/gateway.ts';

const gateway = useGateway();
const base = 'http://gateway.test';
type Api = Awaited<ReturnType<typeof gateway.secondInstance>>;

async function paid() {
  const shop = await gateway.shop();
  const { operation_id } = (await shop.pay({})).body;
  await gateway.provider.act(operation_id, 'settle', { result: 'completed' });
  const { receipts } = (await shop.state({ operation_id })).body;
  const [{ receipt_url: url, id }] = receipts;
  return {
    shop,
    operation_id: operation_id as string,
    id: id as string,
    path: url.slice(base.length) as string,
  };
}
const open = async (path: string, api?: Api, init: RequestInit = {}) =>
  (api ?? (await gateway.secondInstance())).request(path, init);

describe('a receipt link', () => {
  it('serves the provider’s file inline, without caching (R10.9)', async () => {
    const { id, path } = await paid();
    const response = await open(path);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="receipt-${id}.pdf"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).toMatch(
      /^%PDF-[^]*100\.00/,
    );
    expect((await open(path, undefined, { method: 'POST' })).status).toBe(405);
  });

  it.each([
    ['%PDF-1.7', 'application/pdf', 'inline', 'pdf'],
    ['\x89PNG\r\n\x1A\n', 'image/png', 'inline', 'png'],
    ['<script>alert(1)</script>', 'application/octet-stream', 'attachment', 'bin'],
  ])(
    'shows an uploaded file only if it is a PDF or a picture: %j (R21.12)',
    async (text, type, shown, end) => {
      const { links, receipts } = gateway;
      const shop = await gateway.shop();
      const { operation_id: id } = (await shop.pay({})).body as { operation_id: string };
      const receiptId = randomUUID();
      const content = Buffer.from(text, 'latin1');
      await receipts.put(receiptKey(id, receiptId), content);
      const data = {
        receipt_id: receiptId,
        sha256: hash('sha256', content, 'hex'),
        size_bytes: 1,
        pdf: end === 'pdf',
      };
      const origin = { actor: 'payer:payment-page', correlationId: id };
      const events = toNewEvents([{ type: 'ReceiptUploaded', data }], origin);
      const expectedRevision = (await gateway.store.read(operationStream(id))).length - 1;
      await gateway.store.append({ stream: operationStream(id), expectedRevision, events });
      const path = links.urlOf(id, receiptId).slice(base.length);
      const response = await open(path);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': type,
        'content-disposition': `${shown}; filename="${receiptId}.${end}"`,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy.includes('sandbox')).toBe(end !== 'pdf');
      expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
      await receipts.put(receiptKey(id, receiptId), Buffer.from(`${text} replaced`, 'latin1'));
      expect((await open(path)).status).toBe(503);
      await receipts.remove(receiptKey(id, receiptId));
      expect((await open(path)).status).toBe(403);
    },
  );

  it('is rejected if any byte differs, even if the parsed URL would be the same', async () => {
    const { path } = await paid();
    const server = await serveApp(await gateway.secondInstance());
    const statusOf = async (target: string) => {
      const sent = request({
        port: server.port,
        host: '127.0.0.1',
        path: target,
        agent: false,
      }).end();
      const [response] = (await once(sent, 'response')) as [{ statusCode: number; resume(): void }];
      response.resume();
      return response.statusCode;
    };
    expect(await statusOf(path)).toBe(200);
    for (const altered of [
      path.replace('/receipts', '/x/../receipts'),
      path.replace('/receipts/', '/receipts\\'),
      path.replace('receipts', '%72eceipts'),
      path.replace('expires', 'expire%73'),
      `${path}#`,
    ]) {
      const status = await statusOf(altered);
      expect([altered, [400, 403, 404].includes(status)]).toEqual([altered, true]);
    }
  });

  it('holds its slot until it is read: a shop has at most eight files in memory', async () => {
    const { path } = await paid();
    const api = await gateway.withSandbox({
      fetchReceiptFile: async () => ({
        outcome: 'file',
        content: Buffer.alloc(maxReceiptBytes),
        contentType: 'image/png',
      }),
    });
    const server = await serveApp(api);
    const ask = async () => {
      const sent = request({ port: server.port, host: '127.0.0.1', path, agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response;
    };
    // Their headers have arrived, but each file is larger than the buffers of its socket.
    const waiting = await Promise.all(Array.from({ length: 8 }, ask));
    expect(waiting.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    expect((await ask()).resume().statusCode).toBe(503);
    waiting[0]?.destroy();
    await expect.poll(async () => (await ask()).resume().statusCode).toBe(200);
    for (const response of waiting) response.destroy();
  });

  it('returns 503 while the provider cannot serve the file', async () => {
    const { path } = await paid();
    for (const outcome of [
      { outcome: 'unavailable', cause: 'timeout' },
      { outcome: 'none' },
    ] as const) {
      const api = await gateway.withSandbox({ fetchReceiptFile: async () => outcome });
      const response = await open(path, api);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).not.toBeNull();
      expect(await response.json()).toMatchObject({
        code: 'receipt_evidence_unavailable',
        retryable: true,
      });
    }
  });

  it('serves HTML as application/octet-stream (R10.9)', async () => {
    const { path } = await paid();
    const api = await gateway.withSandbox({
      fetchReceiptFile: async () => ({
        outcome: 'file',
        content: Buffer.from('<script>alert(1)</script>'),
        contentType: 'text/html',
      }),
    });
    const response = await open(path, api);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
