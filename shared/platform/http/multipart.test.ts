import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { appForFile } from './testing/serve-app.ts';
import { logger } from '#shared/platform/logging/testing/silent-logger.ts';
import { createApp } from './app.ts';
import { createMetrics } from './metrics.ts';
import { readMultipart } from './multipart.ts';

const maxFileBytes = 1024 * 1024;
const boundary = 'a-boundary';
const multipart = `multipart/form-data; boundary=${boundary}`;

const forbidden = { code: 'shop_forbidden', detail: 'the shop is known' };
const allowed = { fields: ['one', 'two'], file: 'file', unknownFields: { shop_id: forbidden } };

const app = createApp({ logger, metrics: createMetrics('test') });
app.post('/', async (c) => {
  const form = await readMultipart(c, { ...allowed, maxFileBytes });
  return c.json({
    fields: Object.fromEntries(form.fields),
    file: form.file?.toString('latin1').slice(0, 100) ?? null,
    size: form.file?.length,
    errors: form.errors.map(({ pointer, code }) => `${pointer} ${code}`),
  });
});
const server = appForFile(() => app);

type Sent = { body: string | Buffer | FormData; headers?: Record<string, string> };
// Each test asserts what the body contains.
// oxlint-disable-next-line typescript/no-explicit-any
type Answer = { status: number; body: any };
const send = async ({ body, headers = {} }: Sent): Promise<Answer> => {
  const response = await fetch(`http://127.0.0.1:${server.port}/`, {
    method: 'POST',
    body,
    headers,
  });
  return { status: response.status, body: await response.json() };
};
const sendRaw = (body: string | Buffer, type = multipart) =>
  send({ body, headers: { 'content-type': type } });
const formOf = (...parts: [string, string | Blob][]) => {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return form;
};
const part = (disposition: string, content: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const end = `--${boundary}--\r\n`;
const file = (content: string | Uint8Array<ArrayBuffer>) => new Blob([content]);

describe('multipart form', () => {
  it.each([
    ['first', formOf(['file', file('bytes')], ['one', '1'], ['two', '2'])],
    ['in the middle', formOf(['one', '1'], ['file', file('bytes')], ['two', '2'])],
    ['last', formOf(['one', '1'], ['two', '2'], ['file', file('bytes')])],
  ])('is read with its file %s', async (_, body) => {
    expect(await send({ body })).toEqual({
      status: 200,
      body: { fields: { one: '1', two: '2' }, file: 'bytes', size: 5, errors: [] },
    });
  });

  it('distinguishes empty fields and files from absent ones', async () => {
    expect((await sendRaw(end)).body).toEqual({ fields: {}, file: null, errors: [] });
    const { body: field } = await send({ body: formOf(['one', '']) });
    expect(field).toMatchObject({ fields: { one: '' }, file: null });
    const { body: emptyFile } = await send({ body: formOf(['file', file('')]) });
    expect(emptyFile).toMatchObject({ file: '', size: 0 });
  });

  it('identifies its file by the name of the part, not by a filename', async () => {
    const plain = part('name="file"', 'bytes') + part('name="one"; filename="x.pdf"', '1') + end;
    const read = { fields: { one: '1' }, file: 'bytes', size: 5, errors: [] };
    expect((await sendRaw(plain)).body).toEqual(read);
  });

  it('keeps every byte of a file, including partial boundaries', async () => {
    const odd = `\r\n--a-bound\r\n--\0\xff\r\n\r\n`;
    const body = Buffer.from(part('name="file"; filename="f"', odd) + end, 'latin1');
    expect((await sendRaw(body)).body.file).toBe(odd);
  });

  it('is read alike in chunks of any size', async () => {
    const whole = Buffer.from(
      part('name="one"', '1') + part('name="file"; filename="f"', 'bytes\r\n--') + end,
    );
    for (const size of [1, 2, 3, 7, 50, 1_000]) {
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
        whole.subarray(index * size, (index + 1) * size),
      );
      const body = ReadableStream.from(chunks);
      const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': multipart } };
      const response = await app.request('/', init as RequestInit);
      const read = { fields: { one: '1' }, file: 'bytes\r\n--', size: 9, errors: [] };
      expect(await response.json()).toEqual(read);
    }
  });

  it('reports the errors of all parts at once', async () => {
    const body = formOf(
      ['merchant_id', 'm'],
      ['shop_id', file('s')],
      ['three', '3'],
      ['a/b~c', 'x'],
      ['one', '1'],
      ['one', '2'],
      ['two', 'x'.repeat(5_000)],
      ['file', file('1')],
      ['file', file('2')],
      ['other', file('3')],
    );
    expect((await send({ body })).body).toMatchObject({
      fields: { one: '1', two: 'x'.repeat(4_096) },
      file: '1',
      errors: [
        '/merchant_id field_unknown',
        '/shop_id shop_forbidden',
        '/three field_unknown',
        '/a~1b~0c field_unknown',
        '/one field_invalid',
        '/two field_invalid',
        '/file field_invalid',
        '/other field_unknown',
      ],
    });
  });

  it('may have 20 parts', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => part(`name="p${index}"`, '')).join('');
    expect((await sendRaw(many(20) + end)).status).toBe(200);
    const refused = { status: 400, body: { code: 'invalid_request' } };
    expect(await sendRaw(many(21) + end)).toMatchObject(refused);
  });
});

describe('body that is not a form', () => {
  it.each([
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/mixed; boundary=a-boundary',
    'multipart/form-data',
    'multipart/form-data; charset=utf-8',
    '',
  ])('is answered with 415 for the content type %j', async (type) => {
    expect(await sendRaw(Buffer.from(end), type)).toMatchObject({
      status: 415,
      body: { code: 'content_type_unsupported' },
    });
  });

  it('is answered with 415 if it is encoded', async () => {
    const headers = { 'content-type': multipart, 'content-encoding': 'gzip' };
    expect((await send({ body: end, headers })).status).toBe(415);
  });

  it.each([
    ['nothing', ''],
    ['no boundary', 'text'],
    ['another boundary', '--other\r\n\r\n--other--\r\n'],
    ['a field without end', part('name="one"', '1').slice(0, -2)],
    ['a file without end', part('name="file"; filename="f"', 'bytes')],
    ['an unknown file without end', part('name="x"; filename="f"', 'bytes')],
    ['a header without end', `--${boundary}\r\ncontent-disposition: form-data; name="on`],
    ['a nameless file without end', part('filename="f"', 'bytes')],
  ])('is answered with 400 if it has %s', async (_, body) => {
    expect(await sendRaw(body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});

describe('size limit', () => {
  it('allows a file of exactly the limit', async () => {
    const bytes = (count: number) => ['file', file(new Uint8Array(count))] as [string, Blob];
    expect(await send({ body: formOf(bytes(maxFileBytes), ['one', '1']) })).toMatchObject({
      status: 200,
      body: { size: maxFileBytes, fields: { one: '1' } },
    });
    expect(await send({ body: formOf(bytes(maxFileBytes + 1), ['one', '1']) })).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    });
    expect((await send({ body: formOf(bytes(3 * maxFileBytes)) })).status).toBe(413);
  });

  // Each is closed half a second after its answer.
  it.concurrent.for([
    { what: 'a file', disposition: 'name="file"; filename="f"' },
    { what: 'a field', disposition: 'name="one"' },
    { what: 'an unknown file', disposition: 'name="x"; filename="f"' },
  ])(
    'answers an endless part with 413 while it streams, and disconnects: $what',
    async ({ disposition }) => {
      const { status, body, sent } = await sendEndlessly(disposition);
      expect(status).toBe(413);
      expect(body).toMatchObject({ code: 'body_too_large' });
      // No more than the buffers between client and server hold.
      expect(sent).toBeLessThan(80 * maxFileBytes);
    },
  );
});

it('answers a too large file with 413 while the client is still sending', async () => {
  const { sending, answered } = begin();
  sending.write(part('name="file"; filename="f"', 'x'.repeat(maxFileBytes + 1)).slice(0, -2));
  const [response] = await answered;
  expect(response.statusCode).toBe(413);
  sending.destroy();
});

/** A request whose body is yet to be written. */
function begin() {
  const headers = { 'content-type': multipart };
  const sending = httpRequest({ port: server.port, host: '127.0.0.1', method: 'POST', headers });
  sending.on('error', () => undefined);
  return { sending, answered: once(sending, 'response') as Promise<[IncomingMessage]> };
}

/** Sends an endless part until the server closes the connection. */
async function sendEndlessly(disposition: string) {
  const { sending: request, answered } = begin();
  const closed = new Promise<void>((resolve) => request.once('close', resolve));
  request.write(part(disposition, '').slice(0, -2));
  let sent = 0;
  const more = () => {
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    while (!request.destroyed && request.write(chunk)) sent += chunk.length;
  };
  request.on('drain', more);
  more();
  const [response] = await answered;
  const body: unknown = JSON.parse(await text(response));
  await closed;
  return { status: response.statusCode, body, sent };
}
