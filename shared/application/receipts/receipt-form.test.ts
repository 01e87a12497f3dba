import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { Problem } from '#shared/platform/http/problems.ts';
import { createUploads, receiptFormRules } from './receipt-form.ts';

const megabyte = 1024 * 1024;
const boundary = 'b';
const head = Buffer.from(
  `--${boundary}\r\ncontent-disposition: form-data; name="receipt"; filename="r.pdf"\r\n\r\n`,
);
const tail = Buffer.from(`\r\n--${boundary}--\r\n`);

function createApp(options: Parameters<typeof createUploads>[0]) {
  const uploads = createUploads(options);
  const gate = Promise.withResolvers<void>();
  const app = new Hono();
  app.onError((error, c) => c.text(error instanceof Problem ? error.code : String(error), 500));
  app.post('/:sender', (c) =>
    uploads.run(
      c,
      {
        sentBy: { sender: c.req.param('sender'), shop: 's', address: 'a' },
        rules: receiptFormRules(),
      },
      async ({ file }) => {
        if (c.req.param('sender') === 'waits') await gate.promise;
        return c.text(`${file?.byteLength}`);
      },
    ),
  );
  const send = async (sender: string, body: ReadableStream | Buffer) => {
    const headers = {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      // Announced, but not sent.
      'content-length': String(10 * megabyte),
    };
    const init = { method: 'POST', headers, duplex: 'half' as const };
    const sent = body instanceof Buffer ? new Uint8Array(body) : body;
    return (await app.request(`/${sender}`, { ...init, body: sent })).text();
  };
  return { send, release: gate.resolve };
}

/** The head of a form, followed by nothing or by a trickle of bytes. */
const slow = (everyMs?: number) => {
  let timer: NodeJS.Timeout | undefined;
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(head);
      if (everyMs !== undefined)
        timer = setInterval(() => controller.enqueue(Buffer.from('x')), everyMs);
    },
    cancel: () => clearInterval(timer),
  });
};
const form = (bytes: number) => Buffer.concat([head, Buffer.alloc(bytes, 1), tail]);
const incomingBodies = {
  capacity: { total: 10, perOwner: { sender: 10, shop: 10, address: 10 } },
  withinMs: 2_000,
  bytesPerS: 32 * 1024,
};
const capacity = {
  total: megabyte,
  perOwner: { sender: megabyte, shop: megabyte, address: megabyte },
};

it('reserves no capacity for announced bytes, and aborts slow uploads', async () => {
  const { send } = createApp({ incomingBodies, capacity });
  const slowUploads = [slow(), slow(20), slow(20)].map((body) => send('slow', body));
  expect(await send('other', form(megabyte / 2))).toBe(String(megabyte / 2));
  expect(await Promise.all(slowUploads)).toEqual([
    'invalid_request',
    'invalid_request',
    'invalid_request',
  ]);
});

it('counts received bytes against the capacity until the work is done', async () => {
  const { send, release } = createApp({ incomingBodies, capacity });
  const upload = send('waits', form(megabyte / 2));
  await expect.poll(() => send('other', form(megabyte / 2))).toBe('not_ready');
  release();
  expect(await upload).toBe(String(megabyte / 2));
  expect(await send('other', form(megabyte / 2))).toBe(String(megabyte / 2));
});
