import { describe, expect, it } from 'vitest';
import { fillReturnUrl, refuseReturnUrl } from './return-url.ts';

const https = { allowHttp: false };

describe('return_url', () => {
  it.each([
    'https://shop.example',
    'https://shop.example/',
    'HTTPS://shop.example:8443/a%20b/{operation_id}?order={merchant_operation_id}&from=pay#done',
    'https://shop.example?order={merchant_operation_id}',
    'https://shop.example/{operation_id}/{merchant_operation_id}/{operation_id}',
    'https://магазин.рф/заказ?a=%7Boperation_id%7D',
    'https://[2001:db8::1]/orders',
    `https://shop.example/${'x'.repeat(2_048 - 21)}`,
  ])('accepts %s', (text) => expect(refuseReturnUrl(text, https)).toBeUndefined());

  it('accepts http only if it is allowed', () => {
    expect(refuseReturnUrl('http://localhost:3000/', https)).toMatch(/https/);
    expect(refuseReturnUrl('http://localhost:3000/', { allowHttp: true })).toBeUndefined();
  });

  it.each([
    [
      'a text that is not an absolute URL',
      ['', 'shop', '/orders', '//shop.example/', 'https:', 'https://', 'https:///shop.example/'],
    ],
    [
      'another scheme',
      ['javascript:alert(1)', 'data:text/html,x', 'ftp://shop.example/', 'httpss://x/'],
    ],
    [
      'a URL that a parser would change',
      [
        'https:shop.example/',
        'https:/shop.example/',
        'https://shop.example\\@evil.example/',
        'https://shop.example/\n',
        ' https://shop.example/',
        'https://shop.example/a b',
        'https://shop.example/\u00a0',
        'https://shop.example/\0',
        'https://shop.example/\ud800',
      ],
    ],
    [
      'user information',
      ['https://user:pw@shop.example/', 'https://user@shop.example/', 'https://@shop.example/'],
    ],
    [
      'another placeholder',
      [
        'https://shop.example/{order}',
        'https://shop.example/{Operation_id}',
        'https://shop.example/{ operation_id }',
        'https://shop.example/{{operation_id}}',
        'https://shop.example/{operation_id',
        'https://shop.example/?a={}',
        'https://shop.example/}',
      ],
    ],
    [
      'a placeholder in host, port or fragment',
      [
        'https://{operation_id}.shop.example/',
        'https://{operation_id}',
        'https://shop.example:{operation_id}/',
        'https://{merchant_operation_id}@shop.example/',
        'https://shop.example/#{operation_id}',
        'https://shop.example/?a=1#{merchant_operation_id}',
      ],
    ],
    [
      'a partial escape, which a placeholder would complete',
      [
        'https://shop.example/%{operation_id}',
        'https://shop.example/%2{operation_id}',
        'https://shop.example/100%',
      ],
    ],
    [
      'an impossible host or port',
      [
        'https://shop.example:99999/',
        'https://shop.example:port/',
        'https://a<b/',
        'https://[1::2/',
        'https://:80/',
      ],
    ],
    ['more than 2048 characters', [`https://shop.example/${'x'.repeat(2_048 - 20)}`]],
  ])('rejects %s (R15.7)', (_, texts) => {
    const accepted = texts.filter(
      (text) => refuseReturnUrl(text, { allowHttp: true }) === undefined,
    );
    expect(accepted).toEqual([]);
  });
});

describe('return link of an operation', () => {
  it('percent-encodes the values of placeholders (R15.7)', () => {
    const template =
      'https://shop.example/{operation_id}?order={merchant_operation_id}&op={operation_id}#end';
    const link = fillReturnUrl(template, {
      operationId: 'op-1',
      merchantOperationId: 'a/b?c=d&e#f %2e é😀"<',
    });
    expect(link).toBe(
      'https://shop.example/op-1?order=a%2Fb%3Fc%3Dd%26e%23f%20%252e%20%C3%A9%F0%9F%98%80%22%3C&op=op-1#end',
    );
    expect(new URL(link).searchParams.get('order')).toBe('a/b?c=d&e#f %2e é😀"<');
  });

  it('does not fill placeholders inside a merchant’s own id', () => {
    const names = { operationId: 'op-1', merchantOperationId: '{operation_id}' };
    expect(fillReturnUrl('https://shop.example/{merchant_operation_id}', names)).toBe(
      'https://shop.example/%7Boperation_id%7D',
    );
  });

  it.each(['..', '.', '@evil.example', '//evil.example', '\\evil', '$&', '\'"><script>'])(
    'stays on the shop’s host with the id %s (R15.7)',
    (merchantOperationId) => {
      const link = fillReturnUrl('https://shop.example/{merchant_operation_id}', {
        operationId: 'op-1',
        merchantOperationId,
      });
      expect(new URL(link).origin).toBe('https://shop.example');
    },
  );
});
