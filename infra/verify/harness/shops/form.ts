/** A multipart form: its parts in a valid order, and all of it with its type. */
export type TestForm = { parts: readonly TestFormPart[]; type: string; valid: Buffer };
export type TestFormPart = { head: string; content: Buffer };

export const boundary = 'boundary';

/** A form with a file behind its fields: a receipt, unless another one is named. */
export function makeForm(
  fields: Readonly<Record<string, string>>,
  file: Buffer,
  { name = 'receipt', filename = 'receipt.pdf', type = 'application/pdf' } = {},
): TestForm {
  const parts: TestFormPart[] = Object.entries(fields).map(([field, value]) => ({
    head: `Content-Disposition: form-data; name="${field}"`,
    content: Buffer.from(value),
  }));
  parts.push({
    head: `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}`,
    content: file,
  });
  return {
    parts,
    type: `multipart/form-data; boundary=${boundary}`,
    valid: renderForm(boundary, parts),
  };
}

export function renderForm(
  mark: string,
  parts: readonly TestFormPart[],
  end = `--${mark}--\r\n`,
): Buffer {
  const rendered = parts.flatMap(({ head, content }) => [
    Buffer.from(`--${mark}\r\n${head}\r\n\r\n`, 'utf8'),
    content,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...rendered, Buffer.from(end)]);
}
