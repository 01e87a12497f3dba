import { createSign, generateKeyPairSync } from 'node:crypto';

type Certificate = { key: string; cert: string };

const tags = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
};
const oids = { ecdsaSha256: '1.2.840.10045.4.3.2', commonName: '2.5.4.3', altNames: '2.5.29.17' };

/**
 * A self-signed certificate for one host name, valid for a day, with the minimum that X.509 (RFC
 * 5280) requires.
 */
export function selfSigned(hostname: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(tags.sequence, oid(oids.ecdsaSha256));
  const commonName = der(
    tags.sequence,
    oid(oids.commonName),
    der(tags.utf8, Buffer.from(hostname)),
  );
  const name = der(tags.sequence, der(tags.set, commonName));
  const altNames = der(tags.sequence, der(0x82, Buffer.from(hostname)));
  const extension = der(tags.sequence, oid(oids.altNames), der(tags.octets, altNames));
  const hourMs = 3_600_000;
  const content = der(
    tags.sequence,
    der(0xa0, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, Buffer.from([1])),
    algorithm,
    name,
    der(tags.sequence, utcTime(Date.now() - hourMs), utcTime(Date.now() + 24 * hourMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(tags.sequence, extension)),
  );
  const signature = createSign('sha256').update(content).sign(privateKey);
  const whole = der(tags.sequence, content, algorithm, der(tags.bits, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length =
    size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((part) => {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift(0x80 | (left & 0x7f));
    return groups;
  });
  return der(tags.oid, Buffer.from([first * 40 + second, ...bytes]));
}

const utcTime = (atMs: number): Buffer =>
  der(
    tags.utcTime,
    Buffer.from(new Date(atMs).toISOString().replaceAll(/^\d\d|[-:T]|\.\d{3}/g, '')),
  );
