import {
  bytesField,
  emptyField,
  encodeMessage,
  stringField,
  varintField,
} from '#shared/platform/protobuf/writer.ts';
import { toLegacyNumber } from '../streams/expected-revision.ts';
import type { ExpectedRevision } from '../streams/expected-revision.ts';
import type { FailedWrite, WrongRevision } from '../streams/write-request.ts';
import { encodeUuid } from './uuid.ts';
import type { UuidForm, WireUuid } from './uuid.ts';

/**
 * Where an append ended: the stream's revision (-1: it has no event) and the position of its last
 * record.
 */
type WritePosition = { readonly revision: number; readonly position: number };

export function encodeStreamIdentifier(stream: string): Buffer {
  return stringField(3, stream);
}

function encodePosition(position: number): Buffer {
  return encodeMessage(varintField(1, position), varintField(2, position));
}

/** AppendResp.Success and BatchAppendResp.Success. */
function encodeSuccess(appended: WritePosition): Buffer {
  return encodeMessage(
    appended.revision < 0 ? emptyField(2) : varintField(1, appended.revision),
    bytesField(3, encodePosition(appended.position)),
  );
}

/** AppendResp of a success. */
export function encodeAppendSuccess(appended: WritePosition): Buffer {
  return bytesField(1, encodeSuccess(appended));
}

/**
 * AppendResp of a wrong expected version, with the fields of 20.6 and the newer ones, as the real
 * server sends them.
 */
export function encodeAppendWrongRevision({ expected, actual }: WrongRevision): Buffer {
  const current =
    actual < 0 ? [emptyField(2), emptyField(7)] : [varintField(1, actual), varintField(6, actual)];
  return bytesField(2, encodeMessage(...current, ...expectationFields(expected)));
}

function expectationFields(expected: ExpectedRevision): readonly Buffer[] {
  switch (expected.kind) {
    case 'exact':
      return [varintField(3, expected.revision), varintField(8, expected.revision)];
    case 'no_stream':
      return [varintField(3, toLegacyNumber(expected)), emptyField(11)];
    case 'any':
      return [emptyField(4), emptyField(9)];
    case 'stream_exists':
      return [emptyField(5), emptyField(10)];
  }
}

/** DeleteResp and TombstoneResp. */
export function encodeDeleted(position: number): Buffer {
  return bytesField(1, encodePosition(position));
}

/** BatchAppendResp of a success. */
export function encodeBatchSuccess(
  correlation: WireUuid,
  stream: string,
  appended: WritePosition,
): Buffer {
  return encodeMessage(
    bytesField(1, encodeUuid(correlation.bytes, correlation.form)),
    bytesField(3, encodeSuccess(appended)),
    bytesField(4, encodeStreamIdentifier(stream)),
  );
}

export type BatchFailure =
  | FailedWrite
  | WrongRevision
  | { readonly kind: 'maximum_append_size_exceeded'; readonly maximumBytes: number }
  | { readonly kind: 'bad_request'; readonly message: string };

type Rejection = {
  readonly correlation: WireUuid;
  readonly stream: string;
  readonly failure: BatchFailure;
};

/** BatchAppendResp of a failure. `form` overrides the form of the correlation id. */
export function encodeBatchFailure(
  { correlation, stream, failure }: Rejection,
  form?: UuidForm,
): Buffer {
  return encodeMessage(
    bytesField(1, encodeUuid(correlation.bytes, form ?? correlation.form)),
    bytesField(2, encodeStatus(failure)),
    bytesField(4, encodeStreamIdentifier(stream)),
  );
}

function encodeStatus(failure: BatchFailure): Buffer {
  switch (failure.kind) {
    case 'wrong_expected_version':
      return rpcStatus(6, 'WrongExpectedVersion', wrongExpectedVersionDetails(failure));
    case 'deleted': {
      const identifier = bytesField(1, encodeStreamIdentifier(failure.stream));
      return rpcStatus(5, 'StreamDeleted', { name: 'StreamDeleted', value: identifier });
    }
    case 'maximum_append_size_exceeded': {
      const value = varintField(1, failure.maximumBytes);
      return rpcStatus(3, 'Maximum Append Size Exceeded', {
        name: 'MaximumAppendSizeExceeded',
        value,
      });
    }
    case 'timeout':
      return rpcStatus(4, 'Timeout', { name: 'Timeout', value: encodeMessage() });
    case 'bad_request':
      return rpcStatus(3, 'BadRequest', {
        name: 'BadRequest',
        value: stringField(1, failure.message),
      });
    case 'failed':
      // As the real server does if it has no specific error. With any other detail, clients show no
      // message.
      return rpcStatus(13, failure.message, { name: EMPTY, value: encodeMessage() });
  }
}

function wrongExpectedVersionDetails({ expected, actual }: WrongRevision): Details {
  const current = actual < 0 ? emptyField(2) : varintField(1, actual);
  return {
    name: 'WrongExpectedVersion',
    value: encodeMessage(current, expectationDetail(expected)),
  };
}

function expectationDetail(expected: ExpectedRevision): Buffer {
  switch (expected.kind) {
    case 'exact':
      return varintField(3, expected.revision);
    case 'any':
      return emptyField(4);
    case 'stream_exists':
      return emptyField(5);
    case 'no_stream':
      return emptyField(6);
  }
}

const EMPTY = 'google.protobuf.Empty';

type Details = { readonly name: string; readonly value: Buffer };

/** google.rpc.Status as this protocol has it: one `details` Any, not a list. */
function rpcStatus(code: number, message: string, { name, value }: Details): Buffer {
  const type = name === EMPTY ? EMPTY : `event_store.client.${name}`;
  const any = [stringField(1, `type.googleapis.com/${type}`)];
  if (value.length > 0) any.push(bytesField(2, value));
  return encodeMessage(
    varintField(1, code),
    stringField(2, message),
    bytesField(3, encodeMessage(...any)),
  );
}
