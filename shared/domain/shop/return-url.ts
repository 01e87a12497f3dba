/**
 * The payer's way back to the shop; placeholders in braces are filled in for each operation
 * (R15.7).
 */

type ReturnTo = { operationId: string; merchantOperationId: string };

const maxCharacters = 2_048;
const placeholder = /\{(?:operation_id|merchant_operation_id)\}/g;
/**
 * Scheme, host and port, path with query, fragment. Browsers accept more, but interpret it
 * differently.
 */
const urlPattern = /^(https?):\/\/([^/?#]+)([^#]*)(#.*)?$/i;
// Browsers drop controls and turn backslashes into slashes.
const forbidden = /[\p{Cc}\p{Z}\\]/u;
// Next to a placeholder it would become part of what is filled in.
const brokenEscape = /%(?![0-9a-f]{2})/i;

/** Why this can't be a shop's `return_url`; undefined if it can. */
export function refuseReturnUrl(
  text: string,
  { allowHttp }: { allowHttp: boolean },
): string | undefined {
  if (Array.from(text).length > maxCharacters)
    return `must have at most ${maxCharacters} characters`;
  const [, scheme = '', authority = '', pathAndQuery = '', fragment = ''] =
    urlPattern.exec(text) ?? [];
  if (scheme === '' || !text.isWellFormed() || forbidden.test(text) || brokenEscape.test(text))
    return 'must be a whole URL, such as "https://shop.example/orders/{merchant_operation_id}"';
  if (scheme.toLowerCase() !== 'https' && !allowHttp) return 'must begin with https://';
  if (authority.includes('@')) return 'must not hold a user or a password';
  if (/[{}]/.test(authority + fragment)) return 'may hold placeholders in its path and query only';
  if (/[{}]/.test(pathAndQuery.replaceAll(placeholder, '')))
    return 'knows the placeholders {operation_id} and {merchant_operation_id} only';
  return URL.canParse(text.replaceAll(placeholder, 'x')) ? undefined : 'must be a URL with a host';
}

/** The link for one operation; it leads to the same host whatever is filled in. */
export function fillReturnUrl(
  template: string,
  { operationId, merchantOperationId }: ReturnTo,
): string {
  return template.replaceAll(placeholder, (name) =>
    encodeURIComponent(name === '{operation_id}' ? operationId : merchantOperationId),
  );
}
