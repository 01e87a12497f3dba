import { DestinationRefused } from '../guard/guard.ts';

const errorTexts: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not resolve',
  ENODATA: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve for now',
  ETIMEOUT: 'the name server does not answer',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer',
  EPIPE: 'the connection was closed',
  EHOSTUNREACH: 'the host can not be reached',
  ENETUNREACH: 'the network can not be reached',
  ETIMEDOUT: 'the connection timed out',
  HPE_HEADER_OVERFLOW: 'the answer has too many headers',
  ERR_INTERIM_OVERFLOW: 'the answer has too many interim responses',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is of another host',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is not one to trust',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is not one to trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is not one to trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is not one to trust',
};

/** Why a request got no answer, in words that reveal no internal addresses. */
export function errorText(error: unknown): string {
  if (error instanceof DestinationRefused) return error.message;
  const cause = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code, name } = cause as { code?: unknown; name?: unknown };
  const label = typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown';
  return errorTexts[label] ?? `the request failed (${label.slice(0, 64)})`;
}

/** Why an answer is not a success. */
export function statusError(statusCode: number): string {
  return statusCode >= 300 && statusCode < 400
    ? 'redirects are not followed'
    : `the endpoint answered ${statusCode}`;
}
