import type { Random } from '#infra/verify/harness/tests/random.ts';
import {
  boundary,
  renderForm,
  type TestForm,
  type TestFormPart,
} from '#infra/verify/harness/shops/form.ts';
import { broken, nastyText, randomBytes } from './values.ts';

const oddHeads = [
  '',
  'Content-Disposition: form-data',
  'Content-Disposition: form-data; name=""',
  'Content-Disposition: form-data; name="__proto__"',
  'Content-Disposition: form-data; name="constructor"; filename="toString"',
  'Content-Disposition: form-data; name="file"; filename="../../etc/passwd\0.pdf"',
  'Content-Disposition: form-data; name="file"; filename*=utf-8\'\'%ff%00',
  'Content-Disposition: form-data; name="operation_id"; filename="x"',
  'Content-Disposition: attachment; name="file"',
  'content-disposition: form-data; name="file"\r\nContent-Transfer-Encoding: base64',
  'Content-Disposition: form-data; name="file"\r\nContent-Type: multipart/mixed; boundary=inner',
  `Content-Disposition: form-data; name="${'n'.repeat(20_000)}"`,
  `Content-Disposition: form-data; name="file"\r\n${'X-A: b\r\n'.repeat(3_000)}X-Z: c`,
  `Content-Disposition: form-data; name="file"; ${'a=b; '.repeat(5_000)}`,
] as const;

/** A multipart body, nearly valid or far from it, with its content type. */
export function nastyForm(random: Random, form: TestForm): { bytes: Buffer; type: string } {
  const parts = [...form.parts];
  let { type } = form;
  let end: string | undefined;
  switch (random.below(11)) {
    case 0:
      parts.reverse();
      break;
    case 1:
      parts.splice(random.below(parts.length), 1);
      break;
    case 2:
      parts.push(random.pick(parts as [TestFormPart, ...TestFormPart[]]));
      break;
    case 3:
      parts[random.below(parts.length)] = {
        head: random.pick(oddHeads),
        content: Buffer.from(nastyText(random)),
      };
      break;
    case 4:
      return { type, bytes: broken(random, form.valid) };
    case 5:
      end = random.pick(['', `--${boundary}`, `--${boundary}-`, `--${boundary}--trailing`]);
      break;
    case 6:
      type = random.pick([
        'multipart/form-data',
        'multipart/form-data; boundary=',
        'multipart/form-data; boundary=other',
        'multipart/form-data; boundary="bound\u00e9ary"',
        `multipart/form-data; boundary=${'b'.repeat(3_000)}`,
        'multipart/mixed; boundary=boundary',
        'multipart/form-data; boundary=boundary; boundary=other',
      ]);
      break;
    case 7: {
      const count = random.pick([19, 21, 3_000]);
      parts.push(
        ...Array.from({ length: count }, (_, at) => ({
          head: `Content-Disposition: form-data; name="p${at}"`,
          content: Buffer.from('v'),
        })),
      );
      break;
    }
    case 8: {
      const inner = renderForm('inner', form.parts);
      parts.push({
        head: 'Content-Disposition: form-data; name="file"\r\nContent-Type: multipart/mixed; boundary=inner',
        content: inner,
      });
      break;
    }
    case 9:
      return { type, bytes: randomBytes(random, random.below(4_000)) };
    default:
      parts[0] = {
        head: parts[0]?.head ?? '',
        content: Buffer.from(nastyText(random).repeat(1 + random.below(50))),
      };
  }
  return { type, bytes: renderForm(boundary, parts, end) };
}
