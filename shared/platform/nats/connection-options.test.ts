import { describe, expect, it } from 'vitest';
import { natsConnectionOptions } from './connection-options.ts';

describe('NATS_URL', () => {
  it('accepts one server or several, with or without a scheme and a port', () => {
    expect(natsConnectionOptions('nats://a:1')).toEqual({ servers: ['a:1'] });
    expect(natsConnectionOptions('a, nats://b:5')).toEqual({ servers: ['a:4222', 'b:5'] });
    expect(natsConnectionOptions('nats://[::1]:6')).toEqual({ servers: ['[::1]:6'] });
  });

  it('accepts a user and password or a token, and passes them as options', () => {
    expect(natsConnectionOptions('nats://u:p%401@h:4223')).toEqual({
      servers: ['h:4223'],
      user: 'u',
      pass: 'p@1',
    });
    expect(natsConnectionOptions('nats://sesame@h')).toEqual({
      servers: ['h:4222'],
      token: 'sesame',
    });
  });

  it('enables TLS by tls://', () => {
    expect(natsConnectionOptions('tls://h')).toEqual({ servers: ['h:4222'], tls: {} });
  });

  it('rejects an invalid list of servers, without showing it', () => {
    for (const bad of ['', 'http://u:hidden@h', 'nats://', 'a,,b']) {
      expect(() => natsConnectionOptions(bad)).toThrow(/^NATS_URL must be (?!.*hidden)/);
    }
  });
});
