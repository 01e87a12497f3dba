import { Problem } from '#shared/platform/http/problems.ts';
import { readMultipart } from '#shared/platform/http/multipart.ts';
import { checkFormToken, readFormValues, type Values } from '#shared/platform/sessions/form.ts';
import { heldField } from '../../frame/form-fields.ts';
import type { Console, ConsoleContext } from '../env.ts';
import { recheckOperatorSession } from '../session/require.ts';
import type { Action, SentForm } from './action.ts';
import { findUploadedFile, storeUploadedFile } from './uploaded-files.ts';

/** The form of 200 routes has 17 fields of each. */
const maxFields = 4_000;

const fileField = 'file';

/**
 * Reads a form of this session, checks the user's role again, and stores its file.
 * @throws Problem forbidden; as `readFormValues` and `readMultipart` do; not_ready
 */
export async function readSent(
  c: ConsoleContext,
  console: Console,
  { file: rules, route }: Action,
): Promise<SentForm> {
  const isForm = c.req.header('content-type')?.startsWith('multipart/form-data') ?? false;
  const { values, bytes }: { values: Values; bytes?: Uint8Array<ArrayBuffer> | undefined } =
    rules && isForm ? await readFileForm(c, rules) : { values: await readFormValues(c, maxFields) };
  await recheckOperatorSession(c, console, route);
  const session = c.get('session');
  checkFormToken(session, values);
  if (!rules) return { values };
  if (bytes === undefined || bytes.byteLength === 0) {
    const id = values[heldField];
    const file =
      id === undefined || id === '' ? undefined : await findUploadedFile(console, session, id);
    return { values, file };
  }
  const id = await storeUploadedFile(console, session, bytes);
  return { values: { ...values, [heldField]: id }, file: { id, bytes } };
}

const ownFields = ['form_token', 'once', 'confirmed', 'change', heldField];

async function readFileForm(
  c: ConsoleContext,
  { fields, maxBytes, incoming }: NonNullable<Action['file']>,
): Promise<{ values: Values; bytes: Uint8Array<ArrayBuffer> | undefined }> {
  const rules = { fields: [...fields, ...ownFields], file: fileField, maxFileBytes: maxBytes };
  const sentBy = { token: c.get('session').holder.tokenId };
  const form = await incoming.read(
    c,
    () => sentBy,
    (noteBytes) => readMultipart(c, rules, noteBytes),
  );
  const [error] = form.errors;
  if (error) throw new Problem('invalid_request', { detail: `${error.pointer}: ${error.detail}` });
  return { values: Object.fromEntries(form.fields), bytes: form.file && new Uint8Array(form.file) };
}
